import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, it } from "@jest/globals";
import { type ListeningServer, listen } from "./listen.ts";

/** More than the buffers of a connection hold: further responses wait behind it. */
const LARGE = Buffer.alloc(16 * 1_048_576);
const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const REQUESTS = 5;

let begun = 0;
let ended = new Set<ServerResponse>();
let client: Socket | undefined;
let server: ListeningServer;
beforeAll(async () => {
  const handler = (_request: unknown, response: ServerResponse) => {
    begun += 1;
    response.on("close", () => ended.add(response));
    response.end(LARGE);
  };
  const timeouts = { headersMs: 10_000, requestMs: 30_000, silenceMs: 1_000 };
  server = await listen(handler, { host: "127.0.0.1", port: 0, portVariable: "PORT", timeouts });
});
afterAll(async () => {
  client?.destroy();
  await server.close(0);
});

/** A client that sends requests at once and reads no response; again if it was disconnected before it was read. */
function sendUnread(): Promise<Socket> {
  return eventually(async () => {
    client?.destroy();
    begun = 0;
    ended = new Set();
    client = connect(server.port, "127.0.0.1").pause();
    client.on("error", () => undefined);
    client.write(REQUEST.repeat(REQUESTS));
    await eventually(() => begun === REQUESTS, { timeoutMs: 5_000 });
    return client;
  });
}

it("ends all responses of a client that leaves, also those that wait behind another", async () => {
  (await sendUnread()).destroy();
  await eventually(() => ended.size === REQUESTS);
});

it("ends all responses of a client that reads nothing", async () => {
  await sendUnread();
  await eventually(() => ended.size === REQUESTS);
});
