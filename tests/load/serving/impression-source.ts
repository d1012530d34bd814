import { type RequestSource, requireStatus, serialise } from "../generator/source.ts";
import type { Match } from "./match-source.ts";
import { KEY } from "./world.ts";

/** One impression per match, in the order of the matches, then none. */
export class ImpressionSource implements RequestSource {
  readonly #requests: Buffer[];
  #next = 0;

  constructor(options: { path: string; key?: string; matches: readonly Match[] }) {
    this.#requests = options.matches.map((match) =>
      serialise(options.path, JSON.stringify(match), options.key ?? KEY),
    );
  }

  next(): Buffer | undefined {
    return this.#requests[this.#next++];
  }

  check(status: number, body: Buffer): void {
    requireStatus(status, [201], body);
  }
}
