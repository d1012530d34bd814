import { MEMBER_ROLES, type MemberRole, roleTooLow, scopeMissing, sessionOnly } from "@diegetic/contracts";
import type { Caller, Endpoint } from "./endpoint.ts";

/** Throws 403 unless the caller may use the endpoint: a session by its role, a key by its scopes (docs/behaviour.md). */
export function requireAccess({ session, scopes }: Caller, endpoint: Endpoint): void {
  if (session !== undefined) {
    requireRole(session.role, endpoint.role);
    return;
  }
  if (endpoint.callers === "session") {
    throw sessionOnly.error();
  }
  const { scope } = endpoint;
  const accepted = typeof scope === "string" ? [scope] : scope;
  if (accepted.some((one) => scopes.includes(one))) return;
  throw scopeMissing.error(accepted);
}

/** Throws 403 unless the role has at least the rights of the required one. */
export function requireRole(role: MemberRole, needed: MemberRole): void {
  if (MEMBER_ROLES.indexOf(role) >= MEMBER_ROLES.indexOf(needed)) return;
  throw roleTooLow.error(role, needed);
}
