import { ForeignRedis } from "./installation/foreign-redis.ts";

/**
 * Codes of a socket that fails, and states of a server that answers but cannot serve for the moment. A key that is not local
 * is one that is missing where its wallet is moving away from: it is sought at the new node next time. A script that a node has
 * lost is sent to it again by the client, but not when that meets a second node which has none.
 */
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
const CLIENT_ERRORS = new Set(["MaxRetriesPerRequestError", "ClusterAllFailedError", "AbortError"]);
const CLIENT_MESSAGES =
  /^(Connection is closed\.|Command timed out|Socket timeout|Node is disconnected|None of startup nodes is available|Cluster (isn't ready|is disconnect)|Stream isn't writeable|Too many Cluster redirections|Unknown RESP type)/;
const SERVER_STATES =
  /^(ERR Script attempted to access a non local key in a cluster node|ERR max number of clients reached|LOADING|NOSCRIPT|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|OOM|MISCONF|NOREPLICAS|NOAUTH|WRONGPASS)\b/;

/**
 * Whether an error of a command means that Redis is not there, or not able to serve, or another's: worth trying again later.
 * The command may have taken effect all the same. Anything else is a fault of the program.
 */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ForeignRedis) return true;
  if ("code" in error && typeof error.code === "string" && SOCKET_CODES.has(error.code)) return true;
  return (
    CLIENT_ERRORS.has(error.name) || CLIENT_MESSAGES.test(error.message) || SERVER_STATES.test(error.message)
  );
}

/** Why a command found no Redis that could serve it, as one sentence for an operator; undefined: for no such reason. */
export function describeRedisUnavailable(error: unknown): string | undefined {
  if (!(error instanceof Error) || !isRedisUnavailable(error)) return undefined;
  if (error instanceof ForeignRedis) return error.message;
  const [line = ""] = error.message.split("\n");
  if (line.startsWith("Unknown RESP type"))
    return "What answers at REDIS_URL is no Redis: correct the address.";
  if (/^(NOAUTH|WRONGPASS)\b/.test(line)) {
    return "Redis refuses the user or the password of REDIS_URL: correct them.";
  }
  // The client speaks of its own settings and parts.
  if (/^(Command timed out|Socket timeout)/.test(line)) {
    return "Redis does not answer in time at REDIS_URL: see that it is neither stopped nor overloaded, and that the network is well.";
  }
  const code = (error as NodeJS.ErrnoException).code ?? "the connection is gone";
  const why = SERVER_STATES.test(line) ? line : code;
  return `Redis is not reached at REDIS_URL (${why}): see that it runs, and that the address is right.`;
}

/** Whether Redis has refused a write because its memory is full. What frees memory it still does. */
export function isRedisFull(error: unknown): boolean {
  return error instanceof Error && /^OOM\b/.test(error.message);
}
