import { createHash, timingSafeEqual } from "node:crypto";
import { invitedOnly, type SignUpNeedsBody, withoutSetupToken, wrongSetupToken } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { isLoopbackAddress, isLoopbackHost } from "@diegetic/service-kit";
import type { SIGN_UP_MODES } from "../../settings.ts";

export interface SignUpPolicy {
  mode: (typeof SIGN_UP_MODES)[number];
  /** Token for the first sign-up; empty: none, if it comes from this machine. */
  setupToken: string;
  publicUrl: string | undefined;
}

/**
 * Requirements of a sign-up from this client. The first user becomes the operator, also with an invitation, so it must
 * not be a stranger. There is always an operator once there was one, so no later sign-up becomes it.
 */
export async function signUpNeeds(
  database: Database,
  policy: SignUpPolicy,
  clientAddress: string,
): Promise<SignUpNeedsBody> {
  const installation = await database.installation.findFirst();
  if (installation?.operatorUserId != null) {
    return { needs_invitation: policy.mode === "invited", needs_setup_token: false };
  }
  return {
    needs_invitation: false,
    needs_setup_token: policy.setupToken !== "" || !isLocal(policy, clientAddress),
  };
}

/**
 * A local proxy that does not forward client addresses makes all clients look local; then PUBLIC_URL shows that there
 * are others.
 */
function isLocal({ publicUrl }: SignUpPolicy, clientAddress: string): boolean {
  const host = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
  return isLoopbackAddress(clientAddress) && isLoopbackHost(host);
}

/** Throws 403. */
export async function requireSignUp(
  database: Database,
  policy: SignUpPolicy,
  from: { clientAddress: string; invitationToken: string | undefined; setupToken: string | undefined },
): Promise<void> {
  const needs = await signUpNeeds(database, policy, from.clientAddress);
  if (needs.needs_invitation && from.invitationToken === undefined) throw invitedOnly.error();
  if (!needs.needs_setup_token) return;
  if (policy.setupToken === "") throw withoutSetupToken.error();
  if (from.setupToken !== undefined && isEqual(from.setupToken, policy.setupToken)) return;
  throw wrongSetupToken.error();
}

function isEqual(sent: string, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sent), digest(right));
}
