import { createServer, type IncomingMessage, type RequestListener, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@diegetic/service-kit";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, afterEach, describe, expect, it } from "@jest/globals";
import { createFront } from "./front.ts";
import { TargetDirectory } from "./targets.ts";

const DEAD_ORIGIN = "http://127.0.0.1:1";

describe("the front", () => {
  const servers: Server[] = [];
  const targets = new TargetDirectory();
  const logger = createLogger({ service: "front", instance: "test", level: "silent" });
  const front = createFront({ basePath: "/api", targets, logger });

  const serve = async (handler: RequestListener) => {
    const server = createServer(handler);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  /** Echoes the request with its own name. */
  const echo = (name: string) =>
    serve(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      response.end(
        JSON.stringify({ name, url: request.url, body, from: request.headers["x-forwarded-for"] }),
      );
    });
  const ask = async (path: string, init?: RequestInit) => {
    const origin = await frontOrigin;
    const response = await fetch(`${origin}${path}`, init);
    const answer = (await response.json()) as Record<string, unknown>;
    return { response, answer };
  };
  const frontOrigin = serve(front.handler);

  afterEach(() => targets.replace({ management: null, match: [] }));
  afterAll(() => {
    front.close();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  it("sends match and impressions to the match tier in turn and everything else to management", async () => {
    targets.replace({ management: await echo("management"), match: [await echo("one"), await echo("two")] });
    const names: string[] = [];
    for (const path of [
      "/api/match",
      "/api/impressions",
      "/api/match?x=1",
      "/api/campaigns",
      "/api/matches",
    ]) {
      names.push(String((await ask(path)).answer.name));
    }
    expect(names.slice(0, 3).sort()).not.toEqual(["one", "one", "one"]);
    expect(new Set(names.slice(0, 3))).toEqual(new Set(["one", "two"]));
    expect(names.slice(3)).toEqual(["management", "management"]);
  });

  it("sends a request whose instance refuses the connection to the next one, with its body", async () => {
    targets.replace({ management: null, match: [DEAD_ORIGIN, await echo("alive"), DEAD_ORIGIN] });
    for (let request = 0; request < 6; request += 1) {
      const { answer } = await ask("/api/match", { method: "POST", body: `{"n":${request}}` });
      expect(answer).toMatchObject({ name: "alive", body: `{"n":${request}}` });
    }
  });

  it("passes the client's address, whatever the client claims", async () => {
    targets.replace({ management: await echo("management"), match: [] });
    const { answer } = await ask("/api/profile", { headers: { "X-Forwarded-For": "203.0.113.9" } });
    expect(answer.from).toMatch(/127\.0\.0\.1$/);
  });

  it("keeps its connection to an instance that refuses a body unread, although the client closes its own", async () => {
    let asked: string | undefined;
    const refusing = await serve((incoming, response) => {
      asked = incoming.headers.connection;
      response.writeHead(413).end("{}");
    });
    targets.replace({ management: refusing, match: [] });
    const refused = await new Promise<IncomingMessage>((resolve, reject) => {
      // Without an agent Node's client closes its connection.
      const options = { method: "POST", headers: { "content-length": 300_000 }, agent: false };
      frontOrigin.then((origin) => {
        const sent = request(`${origin}/api/campaigns`, options, resolve).once("error", reject);
        sent.end(Buffer.alloc(300_000));
      }, reject);
    });
    refused.resume();
    expect([refused.statusCode, refused.headers.connection]).toEqual([413, "close"]);
    expect(asked).toBe("keep-alive");
  });

  it("says of its own connection what it does, whatever the client asks of it and an instance of its own", async () => {
    targets.replace({
      management: await serve((_request, response) => {
        response.shouldKeepAlive = false;
        response.end("{}");
      }),
      match: [],
    });
    const origin = await frontOrigin;
    const answered = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABk" };
      request(`${origin}/api/profile`, { headers }, resolve).once("error", reject).end();
    });
    answered.resume();
    expect([answered.statusCode, answered.headers.connection]).toEqual([200, "keep-alive"]);
  });

  it.each([
    ["nothing runs", { management: null, match: [] }],
    ["everything refuses connections", { management: DEAD_ORIGIN, match: [DEAD_ORIGIN, DEAD_ORIGIN] }],
  ])("answers 503 with a detail and Retry-After when %s", async (_case, dead) => {
    targets.replace(dead);
    for (const path of ["/api/match", "/api/profile"]) {
      const { response, answer } = await ask(path, { method: "POST", body: "{}" });
      expect(response.status).toBe(503);
      expect(response.headers.get("x-ratelimit-limit")).toBe("100");
      expect(response.headers.get("retry-after")).toBe("1");
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(Object.keys(answer)).toEqual(["detail"]);
    }
  });

  it("hands requests over whose bodies have yet to come, and lets none wait for them", async () => {
    let taken = 0;
    const management = await serve((incoming, response) => {
      taken += 1;
      incoming.resume().once("end", () => response.end("{}"));
    });
    targets.replace({ management, match: [] });
    const origin = await frontOrigin;
    const halfSent = Array.from({ length: 600 }, () => {
      const sent = request(`${origin}/api/campaigns`, {
        method: "POST",
        headers: { "content-length": 9 },
        agent: false,
      });
      sent.on("error", () => {}).write("{");
      return sent;
    });
    await eventually(() => taken === halfSent.length);
    expect((await ask("/api/campaigns")).response.status).toBe(200);
    for (const sent of halfSent) sent.destroy();
  });

  it("awaits only some bodies of matches, and hands other requests over without theirs", async () => {
    let taken = 0;
    const counting = () =>
      serve((incoming, response) => {
        taken += 1;
        incoming.resume().once("end", () => response.end("{}"));
      });
    targets.replace({ management: null, match: [await counting(), await counting()] });
    const small = createFront({ basePath: "/api", targets, logger, maxConcurrentRequests: 16 });
    const origin = await serve(small.handler);
    const halfSent = Array.from({ length: 16 }, () => {
      const sent = request(`${origin}/api/match`, {
        method: "POST",
        headers: { "content-length": 9 },
        agent: false,
      });
      sent.on("error", () => {}).write("{");
      return sent;
    });
    await eventually(() => taken === 14);
    for (const sent of halfSent) sent.destroy();
    small.close();
  });

  it("sends a request without a body as one without a body", async () => {
    const lengths: (string | undefined)[] = [];
    const management = await serve((incoming, response) => {
      lengths.push(incoming.headers["content-length"], incoming.headers["transfer-encoding"]);
      response.end("{}");
    });
    targets.replace({ management, match: [] });
    await ask("/api/campaigns/camp_1/pause", { method: "POST" });
    expect(lengths).toEqual(["0", undefined]);
  });

  it("logs one line for many requests that no instance can take", async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logged = createFront({
      basePath: "/api",
      targets,
      logger: createLogger({ service: "front", instance: "test", level: "info" }, destination),
    });
    const origin = await serve(logged.handler);
    targets.replace({ management: null, match: [DEAD_ORIGIN, DEAD_ORIGIN] });
    for (const path of ["/api/match", "/api/match", "/api/match", "/api/profile", "/api/profile"]) {
      expect((await fetch(`${origin}${path}`, { method: "POST", body: "{}" })).status).toBe(503);
    }
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ tier: "match", refused: 1, cause: "ECONNREFUSED" }),
      expect.objectContaining({ tier: "management", refused: 1, cause: "none is running" }),
    ]);
    expect(lines.join()).not.toContain("stack");
    logged.close();
  });

  it("answers 503 at once when too many requests run, and takes the next when one has ended", async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let begun = 0;
    const slow = await serve(async (_request, response) => {
      begun += 1;
      await finished;
      response.end("{}");
    });
    targets.replace({ management: slow, match: [] });
    const small = createFront({ basePath: "/api", targets, logger, maxConcurrentRequests: 2 });
    const origin = await serve(small.handler);
    const running = [fetch(`${origin}/api/profile`), fetch(`${origin}/api/profile`)];
    while (begun < 2) await new Promise((resolve) => setImmediate(resolve));
    const refused = await fetch(`${origin}/api/profile`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toEqual({ detail: expect.stringContaining("too many requests") });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    finish();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    for (let status = 503; status !== 200; ) status = (await fetch(`${origin}/api/profile`)).status;
    small.close();
  });

  describe("and bodies, before any key was sent", () => {
    /** Two instances that count their requests, and a request that has sent one byte of its body. */
    const beginRequests = async (maxBufferedBytes?: number) => {
      const counts = { seen: 0 };
      const counting: RequestListener = async (incoming, response) => {
        counts.seen += 1;
        for await (const _ of incoming);
        response.end("{}");
      };
      targets.replace({ management: null, match: [await serve(counting), await serve(counting)] });
      const bounded = createFront({
        basePath: "/api",
        targets,
        logger,
        ...(maxBufferedBytes && { maxBufferedBytes }),
      });
      const origin = await serve(bounded.handler);
      const begin = (bytes: number) => {
        const headers = { "content-length": bytes };
        const begun = request(`${origin}/api/match`, { method: "POST", headers, agent: false });
        const status = new Promise<number>((resolve, reject) => {
          begun.once("response", (response) => resolve(response.resume().statusCode ?? 0));
          begun.once("error", reject);
        });
        begun.write(Buffer.alloc(1));
        return { finish: () => begun.end(Buffer.alloc(bytes - 1)), status };
      };
      return { begin, counts, close: () => bounded.close() };
    };

    it("streams a large one to one instance", async () => {
      const { begin, counts, close } = await beginRequests();
      const large = begin(65_537);
      await eventually(() => counts.seen === 1);
      large.finish();
      expect(await large.status).toBe(200);
      close();
    });

    it("buffers small ones only up to a total limit", async () => {
      const { begin, counts, close } = await beginRequests(10);
      const both = [begin(6), begin(6)];
      await eventually(() => counts.seen === 1);
      for (const { finish } of both) finish();
      expect(await Promise.all(both.map(({ status }) => status))).toEqual([200, 200]);
      const after = begin(10);
      after.finish();
      expect(await after.status).toBe(200);
      close();
    });
  });

  it("does not send a request twice that an instance may have seen", async () => {
    let seen = 0;
    const dying = await serve((request) => {
      seen += 1;
      request.socket.destroy();
    });
    targets.replace({ management: null, match: [dying, dying] });
    const { response } = await ask("/api/match", { method: "POST", body: "{}" });
    expect(response.status).toBe(503);
    expect(seen).toBe(1);
  });

  it("is ready when management and one match instance are", async () => {
    const ready = await serve((_request, response) => response.end("{}"));
    const notReady = await serve((_request, response) => response.writeHead(503).end("{}"));
    targets.replace({ management: ready, match: [notReady, ready] });
    expect((await ask("/readyz")).response.status).toBe(200);
    targets.replace({ management: ready, match: [notReady] });
    expect((await ask("/readyz")).response.status).toBe(503);
    expect((await ask("/healthz")).response.status).toBe(200);
  });
});
