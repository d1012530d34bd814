import type { Role } from "../../api/session.ts";

/** What a member of each role may do. */
export const ROLE_SENTENCES: Record<Role, string> = {
  owner: "As an owner you can do everything, also invite members and manage API keys.",
  manager: "As a manager you can change everything except members and API keys.",
  viewer: "As a viewer you can look at everything and try things out, but change nothing.",
};
