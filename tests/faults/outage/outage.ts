import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase } from "@diegetic/database";
import { createAccountWithKey } from "@diegetic/management";
import { type Api, apiClient, enableGame, startCampaign } from "@diegetic/testing/api";
import { eventually } from "@diegetic/testing/eventually";
import { Connection } from "../../load/generator/connection.ts";
import { serialise } from "../../load/generator/source.ts";
import { World } from "../topology/world.ts";

export interface OutageOptions {
  /** Target rate of impressions per second. */
  rate: number;
  /** How long Postgres is unavailable. */
  outageSeconds: number;
  /** Duration of load before and after. */
  calmSeconds: number;
  say?: (line: string) => void;
}

export interface OutageReport {
  /** Impressions answered 201 before, during and after the outage. */
  answered: { before: number; during: number; after: number };
  /** Impressions per second achieved during the outage. */
  reachedRate: number;
  /** Answers of the match tier other than 200 and 201 during the outage, with counts. */
  unexpected: Map<string, number>;
  /** Answers of management during the outage, with counts; includes `Retry-After`. */
  management: Map<string, number>;
  /** From Postgres' recovery until management's next 200. Milliseconds. */
  managementBackAfterMs: number;
  /** From Postgres' recovery until every impression answered by then was written. Milliseconds. */
  caughtUpAfterMs: number;
  /** Impressions answered 201, and how many of those are in Postgres. */
  ids: { answered: number; written: number; rows: number };
}

const GAME = "busy-game";
const ADVERTISERS = 3;
const PLENTY_CENTS = 1_000_000_000;
const AT_A_TIME = 48;
const CAUGHT_UP_WITHIN_MS = 120_000;

/** Generates load while Postgres is unavailable, and after. */
export async function runOutage(options: OutageOptions): Promise<OutageReport> {
  const say = options.say ?? (() => undefined);
  const world = await World.start({ variant: "single", holdTtlSeconds: 600, sessionIdleSeconds: 1_800 });
  try {
    const { developer, advertiser } = await openMarket(world);
    const load = new Load(world, developer.key, options.rate);
    const stop = new AbortController();
    const running = load.run(stop.signal);
    await sleep(options.calmSeconds * 1_000);
    say(`before: ${load.ids.size} impressions`);
    load.unexpected.clear();
    await world.postgres.takeAway("SIGKILL");
    const before = load.ids.size;
    const management = await watchManagement(advertiser, options.outageSeconds * 1_000);
    const during = load.ids.size - before;
    const unexpected = new Map(load.unexpected);
    say(`during: ${during} impressions`);
    await world.postgres.bringBack();
    const backMs = performance.now();
    const due = new Set(load.ids);
    const [managementBackAfterMs, caughtUpAfterMs] = await Promise.all([
      eventually(async () => (await advertiser.request("GET", "/profile")).status === 200, {
        timeoutMs: 60_000,
      }).then(() => performance.now() - backMs),
      waitUntilWritten(world, due).then(() => performance.now() - backMs),
    ]);
    say(`management back after ${Math.round(managementBackAfterMs)} ms`);
    say(await billingBalances(world));
    await sleep(options.calmSeconds * 1_000);
    stop.abort();
    await running;
    await waitUntilWritten(world, load.ids);
    const rows = await writtenIds(world);
    return {
      answered: { before, during, after: load.ids.size - before - during },
      reachedRate: during / options.outageSeconds,
      unexpected,
      management,
      managementBackAfterMs,
      caughtUpAfterMs,
      ids: {
        answered: load.ids.size,
        written: [...load.ids].filter((id) => rows.has(id)).length,
        rows: rows.size,
      },
    };
  } finally {
    await world.stop();
  }
}

async function openMarket(world: World): Promise<{ developer: { key: string }; advertiser: Api }> {
  const database = createDatabase(world.postgres.url, { poolSize: 1, applicationName: "faults" });
  const keys: string[] = [];
  for (let index = 0; index <= ADVERTISERS; index += 1) {
    const options = { label: `outage ${index}`, rateLimitPerMinute: "unlimited" as const };
    keys.push((await createAccountWithKey({ database }, options)).key);
  }
  await database.$disconnect();
  const [key = "", ...advertiserKeys] = keys;
  const developer = apiClient(world.baseUrl, key);
  await enableGame(developer, GAME);
  const advertisers = advertiserKeys.map((each) => apiClient(world.baseUrl, each));
  for (const advertiser of advertisers) {
    await startCampaign(advertiser, {
      depositCents: PLENTY_CENTS,
      budgetCents: PLENTY_CENTS,
      cpmBidCents: 1_000,
    });
  }
  const probe = { game_id: GAME, user_id: "probe", game_context: {} };
  await eventually(async () => (await developer.request("POST", "/match", probe)).status === 200, {
    timeoutMs: 30_000,
    everyMs: 100,
  });
  const [advertiser] = advertisers;
  if (advertiser === undefined) throw new Error("there is no advertiser");
  return { developer: { key }, advertiser };
}

interface Answer {
  status: number;
  body: Record<string, string>;
}

/** A game's requests on its own connection; a cheap client leaves the processor to the services. */
class Game {
  readonly #port: number;
  readonly #key: string;
  #connection: Connection | undefined;
  #fail: (error: Error) => void = () => undefined;

  constructor(url: string, key: string) {
    this.#port = Number(new URL(url).port);
    this.#key = key;
  }

  /** Rejects when the connection breaks; the next request opens another one. */
  async post(path: string, body: object): Promise<Answer> {
    const connection = this.#connection ?? (await Connection.open(this.#port, (error) => this.#lose(error)));
    this.#connection = connection;
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      connection.send(serialise(path, JSON.stringify(body), this.#key), (status, answer) =>
        resolve({ status, body: answer.length === 0 ? {} : JSON.parse(answer.toString()) }),
      );
    });
  }

  close(): void {
    this.#connection?.close();
  }

  #lose(error: Error): void {
    this.#connection = undefined;
    this.#fail(error);
  }
}

/** Players who each get one ad, at a fixed rate, directly from the match instances. */
class Load {
  /** Impressions answered 201. */
  readonly ids = new Set<string>();
  readonly unexpected = new Map<string, number>();
  readonly #games: Game[];
  readonly #intervalMs: number;
  #players = 0;

  constructor(world: World, key: string, rate: number) {
    const urls = world.stack.describe().matchUrls;
    this.#games = Array.from(
      { length: AT_A_TIME },
      (_, index) => new Game(urls[index % urls.length] ?? "", key),
    );
    this.#intervalMs = (AT_A_TIME * 1_000) / rate;
  }

  async run(signal: AbortSignal): Promise<void> {
    const play = async (game: Game, index: number) => {
      let nextMs = performance.now() + (index * this.#intervalMs) / AT_A_TIME;
      while (!signal.aborted) {
        const waitMs = nextMs - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        // Does not catch up after a delay: the report states the achieved rate.
        nextMs = Math.max(nextMs + this.#intervalMs, performance.now());
        await this.#play(game).catch((error: unknown) => this.#note(String(error)));
      }
      game.close();
    };
    await Promise.all(this.#games.map(play));
  }

  async #play(game: Game): Promise<void> {
    this.#players += 1;
    const match = await game.post("/api/match", {
      game_id: GAME,
      user_id: `player-${this.#players}`,
      game_context: {},
    });
    if (match.status !== 200) return this.#note(`match ${match.status}`, match.body.detail);
    const { match_id, campaign_id, creative_id } = match.body;
    const body = { match_id, campaign_id, creative_id, game_id: GAME };
    const impression = await game.post("/api/impressions", body);
    if (impression.status === 201) this.ids.add(impression.body.impression_id ?? "");
    else this.#note(`impression ${impression.status}`, impression.body.detail);
  }

  #note(status: string, detail = ""): void {
    const what = `${status} ${detail}`.trim();
    this.unexpected.set(what, (this.unexpected.get(what) ?? 0) + 1);
  }
}

/** Calls management repeatedly for this time, and counts its answers. */
async function watchManagement(advertiser: Api, forMs: number): Promise<Map<string, number>> {
  const answers = new Map<string, number>();
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    const { status, headers } = await advertiser.request("GET", "/profile");
    const retryAfter = headers.get("Retry-After");
    const answer = `${status}${retryAfter === null ? "" : ` with Retry-After ${retryAfter}`}`;
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    await sleep(Math.max(0, Math.min(200, endMs - performance.now())));
  }
  return answers;
}

/** Billing's metrics so far: records, batches with duration, requeued records. */
async function billingBalances(world: World): Promise<string> {
  const url = world.stack.describe().processes.find(({ name }) => name === "billing")?.metricsUrl;
  const text = await (await fetch(url ?? "")).text();
  const metrics = /^billing_(records_\w+_total|batch_seconds_(sum|count)|jobs_failed_total)\b/;
  return text
    .split("\n")
    .filter((line) => metrics.test(line))
    .join("\n");
}

async function waitUntilWritten(world: World, ids: ReadonlySet<string>): Promise<void> {
  await eventually(
    async () => {
      // Reading all rows repeatedly would slow down billing.
      const [counted] = await world.query<{ rows: string }>("SELECT count(*) AS rows FROM impressions");
      if (Number(counted?.rows) < ids.size) return false;
      const rows = await writtenIds(world);
      return [...ids].every((id) => rows.has(id));
    },
    { timeoutMs: CAUGHT_UP_WITHIN_MS, everyMs: 250 },
  );
}

async function writtenIds(world: World): Promise<Set<string>> {
  const rows = await world.query<{ impression_id: string }>("SELECT impression_id FROM impressions");
  return new Set(rows.map(({ impression_id }) => impression_id));
}
