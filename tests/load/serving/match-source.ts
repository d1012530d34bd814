import { SeededRandom } from "../../../packages/ad-rules/bench/random.ts";
import { requestKinds } from "../../../packages/ad-rules/bench/requests.ts";
import { type RequestSource, requireStatus, serialise } from "../generator/source.ts";
import { GAMES, gameName, KEY } from "./world.ts";

/** Number of distinct scenes, each repeated with other players. */
const SCENES = 4_000;
/** Concurrent players; each makes a few requests and leaves. */
const PLAYERS_AT_ONCE = 10_000;
const ASKS_OF_A_PLAYER = 4;
const PLAYER_DIGITS = 12;
const PLAYER_BLANK = "p".padEnd(PLAYER_DIGITS + 1, "0");

/** A 200 answer, with the ids for its impression. */
export interface Match {
  game_id: string;
  campaign_id: string;
  creative_id: string;
  match_id: string;
}

/** Typical game scenes with narratives of about 60 words, by many players who come and go. */
export class MatchSource implements RequestSource {
  readonly #requests: Buffer[];
  readonly #playerAt: number[];
  readonly #onMatch: ((match: Match) => void) | undefined;
  /** Players are numbered across all sources of a run, so a new source has new ones. */
  #count: number;

  constructor(options: {
    path: string;
    key?: string;
    firstPlayer: number;
    onMatch?: (match: Match) => void;
  }) {
    this.#requests = sceneBodies().map((body) => serialise(options.path, body, options.key ?? KEY));
    this.#playerAt = this.#requests.map((request) => request.indexOf(PLAYER_BLANK));
    this.#onMatch = options.onMatch;
    this.#count = options.firstPlayer * ASKS_OF_A_PLAYER;
  }

  next(): Buffer {
    const count = this.#count++;
    const player =
      (count % PLAYERS_AT_ONCE) + Math.floor(count / PLAYERS_AT_ONCE / ASKS_OF_A_PLAYER) * PLAYERS_AT_ONCE;
    // Consecutive requests of one player belong to one game: scenes of a game are GAMES apart, which divides both.
    const scene = player % SCENES;
    const request = this.#requests[scene] ?? Buffer.alloc(0);
    writeNumber(request, (this.#playerAt[scene] ?? 0) + PLAYER_DIGITS, player);
    return request;
  }

  /** Number of players so far. */
  get players(): number {
    return Math.ceil(this.#count / ASKS_OF_A_PLAYER / PLAYERS_AT_ONCE + 1) * PLAYERS_AT_ONCE;
  }

  check(status: number, body: Buffer, request: Buffer): void {
    requireStatus(status, [200, 204], body);
    if (status !== 200 || this.#onMatch === undefined) return;
    const { campaign_id, creative_id, match_id } = JSON.parse(body.toString("utf8")) as Match;
    const [, game_id = ""] = /"game_id":"([^"]+)"/.exec(request.toString("latin1")) ?? [];
    this.#onMatch({ game_id, campaign_id, creative_id, match_id });
  }
}

function sceneBodies(): string[] {
  const random = new SeededRandom(23);
  return Array.from({ length: SCENES }, (_, number) => {
    const { context, geo } = requestKinds["several match"](random);
    return JSON.stringify({
      game_id: gameName(number % GAMES),
      user_id: PLAYER_BLANK,
      session_id: `session-${number}`,
      player_geo: geo,
      game_context: context,
    });
  });
}

/** Writes digits backwards from the last one's index, over zeros. */
function writeNumber(request: Buffer, lastDigitAt: number, number: number): void {
  let rest = number;
  for (let digit = 0; digit < PLAYER_DIGITS; digit += 1) {
    request[lastDigitAt - digit] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
