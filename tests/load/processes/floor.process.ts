/**
 * The minimum cost of a match and of an impression on node:http: parses the body, hashes the key, runs the product's scripts
 * for a fixed campaign, and answers. Without limits, validation, index, sealed match ids, security headers, logs, metrics or
 * jobs for billing.
 */
import { hash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  connectRedis,
  createGameSessions,
  createMoneyCommands,
  createReserveAndAdmit,
  DEFAULT_IMPRESSION_TIMES,
} from "@diegetic/hot-state";
import { type Ask, Wallets } from "../scripts/wallets.ts";

const redis = connectRedis(process.env.REDIS_URL ?? "", { name: "floor" });
const money = createMoneyCommands(redis);
const sessions = createGameSessions(redis);
const reserveAndAdmit = createReserveAndAdmit(redis, DEFAULT_IMPRESSION_TIMES, { money, sessions });
const wallets = new Wallets(money, sessions);
await wallets.open();

/** Matches for impressions, by their id. */
const unbilledMatches = new Map<string, Ask>();

const server = createServer(async (request, response) => {
  const body = JSON.parse((await bodyOf(request)).toString("utf8"));
  const key = hash("sha256", request.headers.authorization ?? "", "hex");
  const path = request.url ?? "";
  const isMatch = path.startsWith("/api/match");
  const answer = isMatch ? await match(body, key, path.endsWith("?keep")) : await impression(body);
  const content = JSON.stringify(answer);
  const headers = ["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(content))];
  response.writeHead(isMatch ? 200 : 201, headers).end(content);
});

/** @param isKept its impression will follow */
async function match(
  { game_context: context }: { game_context?: object },
  key: string,
  isKept: boolean,
): Promise<object> {
  const [ask] = wallets.asks(1);
  if (ask === undefined || context === undefined) throw new Error("this is no request for a match");
  const [reservation, admission] = await reserveAndAdmit(wallets.reservationOf(ask), wallets.seatOf(ask));
  if (reservation.outcome !== "held" || !admission.admitted) throw new Error("there is no ad");
  const { match_id, campaign_id, affinity_score } = ask.match;
  if (isKept) {
    wallets.keep(ask, reservation);
    unbilledMatches.set(match_id, ask);
  }
  return {
    match_id,
    campaign_id,
    creative_id: reservation.creativeId,
    narrative_hook:
      "The innkeeper slides a tankard across the bar: the house's own, as everybody here drinks it.",
    biased_pipeline: { theme: 0, mood: 1.35, action: 1 },
    affinity_score,
    cpm_bid_cents: key.length,
  };
}

async function impression({ match_id }: { match_id: string }): Promise<object> {
  const ask = unbilledMatches.get(match_id);
  if (ask === undefined) throw new Error("the match is unknown");
  unbilledMatches.delete(match_id);
  await wallets.commit(ask);
  const { campaign_id, game_id, price_millicents } = ask.match;
  return {
    impression_id: match_id.replace("mat_", "imp_"),
    campaign_id,
    creative_id: ask.creativeId,
    game_id,
    charged_cents: Math.floor(price_millicents / 1_000),
    recorded_at: new Date().toISOString(),
  };
}

function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on("error", reject);
  });
}

server.listen(0, "127.0.0.1", () => {
  process.send?.({ type: "ready", port: (server.address() as AddressInfo).port });
});
process.on("disconnect", () => process.exit(0));
