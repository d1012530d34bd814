import { MEMBER_ROLES, type MemberRole } from "@diegetic/contracts";
import type { ApiKey, Endpoint } from "./endpoint.ts";
import { forbidden, type HttpError } from "./http-error.ts";

/** Throws 403 unless the caller may use the endpoint: a session by its role, a key by its scopes (docs/behaviour.md). */
export function requireAccess({ session, scopes }: ApiKey, endpoint: Endpoint): void {
  if (session !== undefined) {
    requireRole(session.role, endpoint.role ?? "manager");
    return;
  }
  if (endpoint.caller === "session") {
    throw forbidden("An API key cannot do this: sign in on the dashboard.");
  }
  const { scope } = endpoint;
  const accepted = typeof scope === "string" ? [scope] : scope;
  if (accepted.some((one) => scopes.includes(one))) return;
  throw forbidden(
    `This API key lacks the scope ${accepted.map((one) => `"${one}"`).join(" or ")}: use one that has it. Create one by POST /api-keys with a key that has the scope, or ask the operator of the service.`,
  );
}

/** Throws 403 unless the role has at least the rights of the required one. */
export function requireRole(role: MemberRole, needed: MemberRole): void {
  if (MEMBER_ROLES.indexOf(role) >= MEMBER_ROLES.indexOf(needed)) return;
  throw roleTooLow(role, needed);
}

function roleTooLow(role: MemberRole, needed: MemberRole): HttpError {
  return forbidden(
    `Your role in this account is "${role}", but this needs "${needed}": ask an owner of the account.`,
  );
}
