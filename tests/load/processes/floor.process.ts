/**
 * The minimum cost of a match on node:http: parses the body, hashes the key, runs the product's scripts in one command for a
 * fixed campaign, and answers a match. Without limits, validation, index, sealed match ids, security headers, logs or
 * metrics.
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
import { Wallets } from "../scripts/wallets.ts";

const redis = connectRedis(process.env.REDIS_URL ?? "", { name: "floor" });
const money = createMoneyCommands(redis);
const sessions = createGameSessions(redis);
const reserveAndAdmit = createReserveAndAdmit(redis, DEFAULT_IMPRESSION_TIMES, { money, sessions });
const wallets = new Wallets(money, sessions);
await wallets.open();

const server = createServer(async (request, response) => {
  const { game_context: context } = JSON.parse((await bodyOf(request)).toString("utf8"));
  const key = hash("sha256", request.headers.authorization ?? "", "hex");
  const [ask] = wallets.asks(1);
  if (ask === undefined || context === undefined) throw new Error("this is no request for a match");
  const [reservation, admission] = await reserveAndAdmit(wallets.reservationOf(ask), wallets.seatOf(ask));
  if (reservation.outcome !== "held" || !admission.admitted) throw new Error("there is no ad");
  const { match_id, campaign_id, affinity_score } = ask.match;
  const content = JSON.stringify({
    match_id,
    campaign_id,
    creative_id: reservation.creativeId,
    narrative_hook:
      "The innkeeper slides a tankard across the bar: the house's own, as everybody here drinks it.",
    biased_pipeline: { theme: 0, mood: 1.35, action: 1 },
    affinity_score,
    cpm_bid_cents: key.length,
  });
  const headers = ["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(content))];
  response.writeHead(200, headers).end(content);
});

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
