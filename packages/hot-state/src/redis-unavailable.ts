import { RedisUnusable } from "./redis-unusable.ts";

const SOCKET_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
/** Of a server's certificate that is not trusted, or not for this host. */
const CERTIFICATE_CODE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;
const CLIENT_ERRORS = new Set(["MaxRetriesPerRequestError", "ClusterAllFailedError", "AbortError"]);
const CLIENT_MESSAGES =
  /^(Connection is closed\.|Command timed out|Socket timeout|Node is disconnected|None of startup nodes is available|Cluster (isn't ready|is disconnect)|Stream isn't writeable|Too many Cluster redirections|Unknown RESP type)/;
/**
 * Of servers that answer but cannot serve. A non-local key is missing on the node that its wallet is moving away from;
 * the next attempt uses the new node. The client sends a lost script again, but not when that reaches a second node
 * without it.
 */
const SERVER_STATES =
  /^(ERR Script attempted to access a non local key in a cluster node|ERR max number of clients reached|LOADING|NOSCRIPT|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|OOM|MISCONF|NOREPLICAS|NOAUTH|WRONGPASS|NOPERM|ERR The user executing the script)\b/;

export const NO_REDIS = "What answers at REDIS_URL is not a Redis server: correct the address.";

/** A command that was not sent, because too many wait for the same answer. */
export class TooManyWaiting extends Error {
  override name = "TooManyWaiting";
}

/**
 * Whether a command failed because Redis is unreachable, unable to serve, not usable, or because too
 * many wait for it: retry later. The command may have taken effect. Any other error is a bug.
 */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof RedisUnusable || error instanceof TooManyWaiting) return true;
  const code = codeOf(error);
  if (SOCKET_CODES.has(code) || CERTIFICATE_CODE.test(code)) return true;
  return (
    CLIENT_ERRORS.has(error.name) || CLIENT_MESSAGES.test(error.message) || SERVER_STATES.test(error.message)
  );
}

/** Why Redis was unavailable for a command, as one sentence for the operator; undefined: another kind of error. */
export function describeRedisUnavailable(error: unknown): string | undefined {
  if (!(error instanceof Error) || !isRedisUnavailable(error)) return undefined;
  if (error instanceof RedisUnusable) return error.message;
  // Of a cluster of which no node can be used, one node's error says more.
  if ("lastNodeError" in error) {
    const ofNode = describeRedisUnavailable(error.lastNodeError);
    if (ofNode !== undefined) return ofNode;
  }
  if (error instanceof TooManyWaiting) {
    return "More requests than are allowed wait for one rate limit: Redis answers too slowly, or one caller sends too much.";
  }
  const code = codeOf(error);
  if (CERTIFICATE_CODE.test(code)) {
    return `The certificate of Redis is not trusted (${code}): name its issuer's certificates in NODE_EXTRA_CA_CERTS, and in REDIS_URL the host that it is for.`;
  }
  const [line = ""] = error.message.split("\n");
  if (line.startsWith("Unknown RESP type")) return NO_REDIS;
  if (/^(NOAUTH|WRONGPASS)\b/.test(line)) {
    return "Redis refuses the user or the password of REDIS_URL: correct them.";
  }
  if (/^(NOPERM|ERR The user executing the script)\b/.test(line)) {
    return `The user of REDIS_URL lacks permissions in Redis: grant it ~* &* +@all (${line}).`;
  }
  // The client's own wording names internal settings.
  if (/^(Command timed out|Socket timeout)/.test(line)) {
    return "Redis does not answer in time at REDIS_URL: see that it is neither stopped nor overloaded, and that the network works.";
  }
  if (SERVER_STATES.test(line)) return `Redis at REDIS_URL refuses commands (${line}): see the runbook.`;
  return `Redis is not reached at REDIS_URL (${code || "the connection is gone"}): see that it runs, and that the address is right.`;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Whether Redis refused a write because its memory is full. Commands that free memory still work. */
export function isRedisFull(error: unknown): boolean {
  return error instanceof Error && /^OOM\b/.test(error.message);
}
