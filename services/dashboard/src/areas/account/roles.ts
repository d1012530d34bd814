import type { Role } from "../../api/session.ts";

export const ROLES: readonly { value: Role; label: string }[] = [
  { value: "owner", label: "Owner" },
  { value: "manager", label: "Manager" },
  { value: "viewer", label: "Viewer" },
];

/** What a member of each role may do, as the end of a sentence. */
const ABILITIES: Record<Role, string> = {
  owner: "can do everything, also invite members and manage API keys.",
  manager: "can change everything except members and API keys.",
  viewer: "can look, simulate and explain, but change nothing.",
};

/** "As an owner you can …" */
export function yourAbilities(role: Role): string {
  return `As ${role === "owner" ? "an" : "a"} ${role} you ${ABILITIES[role]}`;
}

/** "An owner can …" */
export function abilitiesOf(role: Role): string {
  return `${role === "owner" ? "An" : "A"} ${role} ${ABILITIES[role]}`;
}
