import { type RequestSource, requireStatus } from "../generator/source.ts";
import { MatchSource } from "./match-source.ts";

/** The bodies of match requests, for a server that echoes them. */
export class EchoSource implements RequestSource {
  readonly #requests = new MatchSource({ path: "/echo", firstPlayer: 0 });

  next(): Buffer {
    return this.#requests.next();
  }

  check(status: number, body: Buffer): void {
    requireStatus(status, [200], body);
  }
}
