/**
 * The cost of a request without the product. B: a bare Express handler that echoes JSON. R (with REDIS_URL): the same,
 * plus one Redis script of four commands.
 */
import type { AddressInfo } from "node:net";
import { connectRedis } from "@diegetic/hot-state";
import express from "express";
import { loadFourCommands } from "./four-commands.ts";

const app = express();
app.use(express.json());
const { REDIS_URL } = process.env;
if (REDIS_URL === undefined) {
  app.post("/echo", (request, response) => {
    response.json(request.body);
  });
} else {
  const redis = connectRedis(REDIS_URL, { name: "baseline" });
  const fourCommands = await loadFourCommands(redis);
  let count = 0;
  app.post("/echo", async (request, response) => {
    count += 1;
    await fourCommands(count);
    response.json(request.body);
  });
}
const server = app.listen(0, "127.0.0.1", () => {
  process.send?.({ type: "ready", port: (server.address() as AddressInfo).port });
});
process.on("disconnect", () => process.exit(0));
