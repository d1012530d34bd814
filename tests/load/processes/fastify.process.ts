/**
 * F2, what a plain service with two calls costs: Fastify 5 that echoes JSON after two concurrent scripts of four commands
 * through an ioredis without this product's settings.
 */
import type { AddressInfo } from "node:net";
import fastify from "fastify";
import { Redis } from "ioredis";
import { loadFourCommands } from "./four-commands.ts";

const redis = new Redis(process.env.REDIS_URL ?? "");
const fourCommands = await loadFourCommands(redis);
const app = fastify();
let count = 0;
app.post("/echo", async (request) => {
  count += 2;
  await Promise.all([fourCommands(count), fourCommands(count + 1)]);
  return request.body;
});
await app.listen({ port: 0, host: "127.0.0.1" });
process.send?.({ type: "ready", port: (app.server.address() as AddressInfo).port });
process.on("disconnect", () => process.exit(0));
