import { createHash, timingSafeEqual } from "node:crypto";
import type { SignUpNeedsBody } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import { forbidden, isLoopbackAddress } from "@diegetic/service-kit";
import type { SIGN_UP_MODES } from "../settings.ts";

export interface SignUpPolicy {
  mode: (typeof SIGN_UP_MODES)[number];
  /** What the first sign-up has to know; empty: nothing, as long as it comes from this machine. */
  setupToken: string;
  publicUrl: string | undefined;
}

/**
 * What a sign-up from this client needs now. The first one makes the operator, also by an invitation: a stranger must not be first.
 * There is an operator for good once there is one, so that nobody becomes it after these answers are false.
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

/** A proxy on this machine that does not name its clients makes all of them look local: then PUBLIC_URL says that there are others. */
function isLocal({ publicUrl }: SignUpPolicy, clientAddress: string): boolean {
  const host = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
  return isLoopbackAddress(clientAddress) && (host === "localhost" || isLoopbackAddress(host));
}

/** Throws 403. */
export async function requireSignUp(
  database: Database,
  policy: SignUpPolicy,
  from: { clientAddress: string; invitationToken: string | undefined; setupToken: string | undefined },
): Promise<void> {
  const needs = await signUpNeeds(database, policy, from.clientAddress);
  if (needs.needs_invitation && from.invitationToken === undefined) {
    throw forbidden("New users join by invitation only: ask an owner of an account for one.");
  }
  if (!needs.needs_setup_token) return;
  if (policy.setupToken === "") {
    throw forbidden(
      "setup_token is not set up: the first user runs this installation, so whoever starts the service has to set SETUP_TOKEN first, or sign up on its own machine",
    );
  }
  if (from.setupToken !== undefined && isEqual(from.setupToken, policy.setupToken)) return;
  throw forbidden(
    "setup_token is wrong or missing: the first user runs this installation, and whoever started the service has the token",
  );
}

function isEqual(sent: string, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sent), digest(right));
}
