/**
 * What a request costs without the product. B: a bare Express handler that echoes JSON. R (with REDIS_URL): the same, plus
 * one script of four commands in Redis.
 */
import type { AddressInfo } from "node:net";
import { connectRedis } from "@diegetic/hot-state";
import express from "express";

const FOUR_COMMANDS = `
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'count', 1)
redis.call('PEXPIRE', KEYS[1], 600000)
return redis.call('HGET', KEYS[1], ARGV[1])`;
const KEYS = 10_000;

const app = express();
app.use(express.json());
const { REDIS_URL } = process.env;
if (REDIS_URL === undefined) {
  app.post("/echo", (request, response) => {
    response.json(request.body);
  });
} else {
  const redis = connectRedis(REDIS_URL, { name: "baseline" });
  const sha = String(await redis.script("LOAD", FOUR_COMMANDS));
  let count = 0;
  app.post("/echo", async (request, response) => {
    count += 1;
    await redis.evalsha(sha, 1, `baseline:${count % KEYS}`, "field", String(count));
    response.json(request.body);
  });
}
const server = app.listen(0, "127.0.0.1", () => {
  process.send?.({ type: "ready", port: (server.address() as AddressInfo).port });
});
process.on("disconnect", () => process.exit(0));
