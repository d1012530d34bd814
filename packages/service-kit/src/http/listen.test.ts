import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type ListeningServer, listen } from "./listen.ts";

/** More than the buffers of a connection hold: further responses wait behind it. */
const LARGE = Buffer.alloc(16 * 1_048_576);
const REQUESTS = 5;
const ADDRESS = { host: "127.0.0.1", port: 0, portVariable: "PORT" };

let begun = 0;
let ended = new Set<ServerResponse>();
/** Answers the request to /later. */
let answerLater = () => {};
let client: Socket | undefined;
let server: ListeningServer;
/** Disconnects a client that reads nothing after a second. */
let impatient: ListeningServer;
beforeAll(async () => {
  const handler = ({ url }: IncomingMessage, response: ServerResponse) => {
    begun += 1;
    response.on("close", () => ended.add(response));
    if (url === "/later") answerLater = () => response.end("late");
    else response.end(url === "/large" ? LARGE : "small");
  };
  server = await listen(handler, ADDRESS);
  const timeouts = { headersMs: 10_000, requestMs: 30_000, silenceMs: 1_000 };
  impatient = await listen(handler, { ...ADDRESS, timeouts });
});
afterEach(() => {
  client?.destroy();
});
afterAll(() => Promise.all([server.close(0), impatient.close(0)]));

const get = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, "Host: x", ...headers].join("\r\n")}\r\n\r\n`;

function open({ port }: ListeningServer): Socket {
  client?.destroy();
  begun = 0;
  ended = new Set();
  client = connect(port, "127.0.0.1");
  client.on("error", () => undefined);
  return client;
}

/** A client that sends requests at once and reads no response; again if it was disconnected before it was read. */
function sendUnread(to: ListeningServer): Promise<Socket> {
  return eventually(async () => {
    const silent = open(to).pause();
    silent.write(get("/large").repeat(REQUESTS));
    await eventually(() => begun === REQUESTS, { timeoutMs: 5_000 });
    return silent;
  });
}

it("ends all responses of a client that leaves, also those that wait behind another", async () => {
  (await sendUnread(server)).destroy();
  await eventually(() => ended.size === REQUESTS);
});

it("ends all responses of a client that reads nothing", async () => {
  await sendUnread(impatient);
  await eventually(() => ended.size === REQUESTS);
});

it("disconnects a client that goes on sending after it was refused", async () => {
  const timeouts = { headersMs: 100, requestMs: 200 };
  const hasty = await listen(() => undefined, { ...ADDRESS, timeouts });
  client = connect({ port: hasty.port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => undefined).resume();
  client.write("GET / HTTP/1.1\r\nX-Endless: ");
  const dripping = setInterval(() => client?.write("x"), 50);
  await eventually(() => client?.destroyed);
  clearInterval(dripping);
  await hasty.close(0);
});

it("disconnects a client that sends far more requests than it reads responses", async () => {
  const socket = open(server);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(get("/later").repeat(1_000));
  await closed;
  expect(begun).toBe(101);
  await eventually(() => ended.size === begun);
});

describe.each([
  ["with too large headers", get("/", `X-Large: ${"x".repeat(20_000)}`), 431],
  ["that is no HTTP", "rubbish\r\n\r\n", 400],
])("a request %s, on a connection that was used before,", (_what, malformed, status) => {
  /** What comes until the connection is closed, after `first` was sent, and the malformed request when that is due. */
  const receive = async (first: string, isDue: (received: string) => boolean) => {
    const socket = open(server);
    let received = "";
    socket.on("data", (data) => {
      received += data;
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(first);
    await eventually(() => isDue(received));
    socket.write(malformed);
    return { closed, statuses: () => received.match(/(?<=HTTP\/1.1 )\d+/g)?.map(Number) ?? [] };
  };

  it("is answered", async () => {
    const { closed, statuses } = await receive(get("/"), (received) => received.endsWith("small"));
    await closed;
    expect(statuses()).toEqual([200, status]);
  });

  it("is not answered in place of an earlier request", async () => {
    const { closed, statuses } = await receive(get("/later"), () => begun === 1);
    await closed;
    answerLater();
    expect(statuses()).toEqual([]);
  });
});
