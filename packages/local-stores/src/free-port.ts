import { randomInt } from "node:crypto";
import getPort from "get-port";

/** Below the ports that systems give to connections and to servers which name none: Linux from 32 768, others from 49 152. */
const [FIRST_PORT, END_PORT] = [20_000, 32_768];
const CANDIDATES = 50;

/**
 * A free port of 127.0.0.1 that the system gives to nobody else, so that a server which is started again finds it free. If others
 * have all candidates: any free port. Calls of one process within some seconds get different ports.
 */
export function freePort(): Promise<number> {
  const candidates = Array.from({ length: CANDIDATES }, () => randomInt(FIRST_PORT, END_PORT));
  return getPort({ host: "127.0.0.1", port: candidates });
}
