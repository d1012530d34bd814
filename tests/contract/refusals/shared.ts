import { campaignsApi, creativesApi, geoTargetsApi, newId, servingApi } from "@diegetic/contracts";
import { RateLimiter } from "@diegetic/hot-state";
import { listen } from "@diegetic/service-kit";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { expect } from "@jest/globals";
import type { Response, Test } from "supertest";
import { BASE_PATH } from "../composed-api.fixture.ts";
import { cutOff, rawExchange } from "../security/raw-exchange.fixture.ts";
import { signUp } from "./dashboard.ts";
import { campaignBody, type World } from "./world.fixture.ts";

/** What answers slow clients, with less patience than usual. */
const startService = (timeouts: { headersMs: number; requestMs: number }) =>
  listen(() => undefined, { host: "127.0.0.1", port: 0, portVariable: "PORT", timeouts });

/** Where management listens. */
const portOf = (world: World) => Number(new URL(world.api.origin("/profile")).port);

function bodyOfRaw(answer: string): Pick<Response, "body"> {
  return { body: JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)) };
}

const { list, create } = campaignsApi.operations;

/** The answer after 1 000 requests of others. Twice, should the minute end meanwhile. */
async function usedUp(world: World, kind: string, id: string, ask: () => Test): Promise<Response> {
  const redis = connectTestRedis(world.api.redis.url);
  try {
    for (let round = 1; round <= 2; round += 1) {
      const limiter = new RateLimiter(redis);
      for (let n = 0; n < 1_000; n += 1) await limiter.take(kind, id, 1_000, Date.now());
      // After the end of a minute the service has a fiftieth of its own.
      for (let n = 0; n < 30; n += 1) {
        const answer = await ask();
        if (answer.status === 429) return answer;
      }
    }
  } finally {
    redis.disconnect();
  }
  throw new Error("the limit was not reached");
}

/**
 * What any operation can answer, or any with a body: answer and name of the example → how to come to read it. In the
 * order in which they are tried: the last ones stop the stores.
 */
export const sharedRefusals: Readonly<Record<string, (world: World) => Promise<Pick<Response, "body">>>> = {
  "Unauthorized missing": async (world) => world.call(list, { headers: { Authorization: "" } }),
  "Unauthorized malformed": async (world) =>
    world.call(list, { headers: { Authorization: `Basic ${world.owner.key}` } }),
  "Unauthorized invalid": async (world) =>
    world.call(list, { headers: { Authorization: `Bearer ${world.owner.key}0` } }),
  "TooManyRequests limited": async (world) => {
    const by = await world.account({ rateLimitPerMinute: 100 });
    // Twice, should the minute end meanwhile.
    for (let round = 1; round <= 2; round += 1) {
      const answers = await Promise.all(Array.from({ length: 101 }, () => world.call(list, { by })));
      const limited = answers.find(({ status }) => status === 429);
      if (limited !== undefined) return limited;
    }
    throw new Error("the limit was not reached");
  },
  "TooManyRequests limited_account": async (world) => {
    const by = await world.account({ rateLimitPerMinute: 100 });
    // Ten times what one key has, as nine other keys would use it.
    return usedUp(world, "management", by.accountId, () => world.call(list, { by }));
  },
  "TooManyRequests limited_game": async (world) => {
    const by = world.other;
    const scene = { game_id: by.named.game_id, user_id: "mira", game_context: {} };
    const ask = () => world.call(servingApi.operations.match, { by, body: scene });
    return usedUp(world, "match-game", scene.game_id, ask);
  },
  "MethodNotAllowed other_method": async (world) => {
    const answer = await world.call({ method: "PUT", path: "/profile" });
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD, PATCH"]);
    return answer;
  },
  "TooManyRequests limited_not_http": async () => {
    const service = await startService({ headersMs: 10_000, requestMs: 10_000 });
    const ask = () => rawExchange(service.port, ["no request", "", ""]);
    const tooMany = /^HTTP\/1.1 429 [\s\S]*\r\nRetry-After: \d+\r\n/;
    let answer = "";
    // Twice, should the minute end meanwhile.
    for (let n = 0; n < 202 && !tooMany.test(answer); n += 1) answer = await ask();
    await service.close(0);
    return bodyOfRaw(answer);
  },
  // The client ends its side before the body is whole.
  "NotHttp not_http": async (world) => {
    const lines = [`POST ${BASE_PATH}/register HTTP/1.1`, "Host: x", "Content-Type: application/json"];
    const by = `Authorization: Bearer ${world.owner.key}`;
    return bodyOfRaw(await cutOff(portOf(world), [...lines, by, "Content-Length: 100", "", '{"company_']));
  },
  "NotHttp no_host": async (world) =>
    bodyOfRaw(await rawExchange(portOf(world), [`GET ${BASE_PATH}/profile HTTP/1.1`, "", ""])),
  "RequestTimeout too_slow": async () => {
    const service = await startService({ headersMs: 100, requestMs: 100 });
    const answer = await rawExchange(service.port, ["GET / HTTP/1.1", "Host: x", "X-Slow: "]);
    await service.close(0);
    return bodyOfRaw(answer);
  },
  "HeadersTooLarge too_large": async (world) => {
    const lines = ["GET / HTTP/1.1", "Host: x", `X: ${"x".repeat(20_000)}`, "", ""];
    return bodyOfRaw(await rawExchange(portOf(world), lines));
  },
  "BodyTooLarge too_large": async (world) =>
    world.call(create, { body: { ...campaignBody, more: "x".repeat(262_144) } }),
  "NotJson media_type": async (world) =>
    world.call(create, { body: "name=Winter", headers: { "Content-Type": "text/plain" } }),
  "NotJson compressed": async (world) =>
    world.call(create, { body: campaignBody, headers: { "Content-Encoding": "gzip" } }),
  "OtherAccount other_account": async (world) => {
    const { cookie } = await signUp(world);
    const answer = await world.api.send({
      method: "GET",
      path: `${BASE_PATH}/campaigns`,
      headers: {
        Cookie: cookie,
        "Diegetic-Account": newId("acct"),
      },
    });
    return { body: JSON.parse(answer.text) };
  },
  "InternalError failed": async (world) => {
    const { database } = world.api;
    await database.$executeRaw`ALTER TABLE creatives RENAME TO creatives_elsewhere`;
    const answer = await world.call(creativesApi.operations.list);
    await database.$executeRaw`ALTER TABLE creatives_elsewhere RENAME TO creatives`;
    return answer;
  },
  "Unavailable unavailable": async (world) => {
    const by = await world.account({ rateLimitPerMinute: 100 });
    await world.api.redis.stop();
    return world.call(list, { by });
  },
  "Unavailable stored": async (world) => world.call(geoTargetsApi.operations.remove),
};
