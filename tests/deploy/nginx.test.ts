import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { eventually } from "@diegetic/testing/eventually";
import { freePort } from "@diegetic/testing/free-port";
import { findNginx } from "@diegetic/testing/operators-programs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { rawExchange } from "../contract/security/raw-exchange.fixture.ts";
import { ROOT } from "./compose-file.ts";
import { configureNginx, startNginx } from "./nginx.ts";

const run = promisify(execFile);
const PATIENCE = { timeoutMs: 60_000 };
/** More than the buffers of nginx and of both connections. */
const LONG_ANSWER_PARTS = 1_024;
const REFUSAL = "refused";
const PART = Buffer.alloc(65_536, "x");

const nginx = await findNginx().catch((error: Error) => error);
if (nginx instanceof Error) {
  it.skip(`the proxy's configuration is not tried here: ${nginx.message}`, () => undefined);
} else {
  describe("docker/nginx.conf in a real nginx", () => {
    let dir = "";
    let proxy: { stop(): Promise<void> } | undefined;
    let url = "";
    let management: Upstream;
    const matchInstances: Upstream[] = [];

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), "diegetic-nginx-"));
      management = await startUpstream("management");
      matchInstances.push(await startUpstream("match-1"), await startUpstream("match-2"));
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      const config = configureNginx(dir, port, {
        management: [management.port],
        match: matchInstances.map((instance) => instance.port),
      });
      proxy = await startNginx(nginx, config, url);
    });
    afterAll(async () => {
      await proxy?.stop();
      for (const upstream of [management, ...matchInstances]) upstream?.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    it("sends match and impressions to the match instances in turn, everything else to management", async () => {
      const answerers = async (path: string) => {
        const answers = Array.from({ length: 8 }, () => post(url, path));
        return [...new Set((await Promise.all(answers)).map(({ body }) => body.name))].sort();
      };
      expect(await answerers("/api/match")).toEqual(["match-1", "match-2"]);
      expect(await answerers("/api/impressions")).toEqual(["match-1", "match-2"]);
      expect(await answerers("/api/campaigns")).toEqual(["management"]);
      expect(await answerers("/play")).toEqual(["management"]);
    });

    it("keeps connections to the services open", async () => {
      const before = management.connections();
      for (let index = 0; index < 20; index += 1) await post(url, "/api/campaigns");
      // On a busy machine nginx ends some, which were idle for too long.
      expect(management.connections() - before).toBeLessThan(10);
    });

    it("says for how long a client may keep its connection idle", async () => {
      const answer = await fetch(`${url}/api/match`, { method: "POST", body: "{}" });
      await answer.text();
      expect(answer.headers.get("keep-alive")).toBe("timeout=60");
    });

    it("believes no X-Forwarded-For of an address that is not trusted", async () => {
      const { body } = await post(url, "/api/match", { "X-Forwarded-For": "198.51.100.7" });
      expect(body.headers["x-forwarded-for"]).toBe("127.0.0.1");
      expect(body.headers.host).toBe(new URL(url).host);
    });

    it("believes a trusted TLS proxy, up to the first address that is not trusted", async () => {
      writeFileSync(
        join(dir, "real-ip.conf"),
        `set_real_ip_from 127.0.0.1;\nset_real_ip_from 10.1.0.0/16;\n${readFileSync(`${ROOT}docker/real-ip.conf`, "utf8")}`,
      );
      await run(nginx, ["-c", join(dir, "nginx.conf"), "-s", "reload"]);
      const forwarded = { "X-Forwarded-For": "192.0.2.1, 198.51.100.7, 10.1.2.3" };
      const seen = async () => (await post(url, "/api/match", forwarded)).body.headers["x-forwarded-for"];
      await eventually(async () => (await seen()) === "198.51.100.7", PATIENCE);
    });

    it("answers 413 as the services do", async () => {
      const answer = await fetch(`${url}/api/match`, { method: "POST", body: "x".repeat(1_100_000) });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toEqual({ detail: expect.stringContaining("256 KiB") });
    });

    it("passes on a refusal that a service sends before it has read the body", async () => {
      const answer = await fetch(`${url}/refused`, { method: "POST", body: "x".repeat(900_000) });
      expect([answer.status, await answer.text()]).toEqual([413, REFUSAL]);
    });

    it("keeps no long answer for a slow client in /tmp, which is small", async () => {
      // Where nothing can be written, an answer that nginx keeps there is cut off.
      rmSync(join(dir, "proxy"), { recursive: true, force: true });
      writeFileSync(join(dir, "proxy"), "");
      const response = await fetch(`${url}/long`);
      let sentParts = 0;
      await eventually(() => {
        const before = sentParts;
        sentParts = management.sentParts();
        return sentParts > 0 && sentParts === before;
      }, PATIENCE);
      expect((await response.arrayBuffer()).byteLength).toBe(LONG_ANSWER_PARTS * PART.length);
    });

    it("keeps no body in /tmp, which a few slow clients would fill", async () => {
      rmSync(join(dir, "client_body"), { recursive: true, force: true });
      writeFileSync(join(dir, "client_body"), "");
      const answer = await fetch(`${url}/api/match`, { method: "POST", body: "x".repeat(250_000) });
      expect(answer.status).toBe(200);
    });

    it("takes headers as large as the services do", async () => {
      const { status } = await post(url, "/api/match", { "X-Large": "x".repeat(15_000) });
      expect(status).toBe(200);
    });

    it.each([
      [
        "a header that is too large",
        `POST /api/match HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(20_000)}`,
        431,
      ],
      ["a path that is too long", `GET /api/${"x".repeat(20_000)} HTTP/1.1\r\nHost: x`, 431],
      ["a path with broken encoding", "GET /api/%zz HTTP/1.1\r\nHost: x", 400],
      ["a request without a host", "GET /api/profile HTTP/1.1", 400],
      ["no HTTP at all", "hello", 400],
      ["an unknown transfer coding", "POST /api/match HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x", 400],
      ["TRACE", "TRACE /api/match HTTP/1.1\r\nHost: x", 400],
    ])("refuses %s as the services do: with a detail", async (_what, head, status) => {
      const { port } = new URL(url);
      const answer = await rawExchange(Number(port), [`${head}\r\nConnection: close`, "", ""]);
      const [, code, body = ""] = /^HTTP\/1.1 (\d+) .*?\r\n\r\n(.*)$/s.exec(answer) ?? [];
      expect(Number(code)).toBe(status);
      expect(JSON.parse(body)).toEqual({ detail: expect.stringMatching(/^\w.*\.$/) });
    });

    it("passes by an instance that is gone, and answers 503 with Retry-After when all are", async () => {
      matchInstances[0]?.stop();
      // A long body is not kept for a second attempt, but none of it has been sent.
      const long = { method: "POST", body: "x".repeat(250_000) };
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          index % 2 === 0 ? post(url, "/api/match") : fetch(`${url}/api/match`, long),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      matchInstances[1]?.stop();
      const refused = await post(url, "/api/match");
      expect(refused.status).toBe(503);
      expect(refused.retryAfter).toBe("1");
      expect(refused.body).toEqual({ detail: expect.stringContaining("try again") });
      expect((await post(url, "/api/campaigns")).status).toBe(200);
    });
  });
}

interface Upstream {
  port: number;
  /** Accepted so far. */
  connections(): number;
  /** Of the long answer, as far as its connection has taken them. */
  sentParts(): number;
  stop(): void;
}

/** Answers who it is and which headers have reached it; at `/long`, much; at `/refused`, before it reads the body. */
async function startUpstream(name: string): Promise<Upstream> {
  let connections = 0;
  let sentParts = 0;
  function* longAnswer() {
    for (sentParts = 0; sentParts < LONG_ANSWER_PARTS; sentParts += 1) yield PART;
  }
  const server: Server = createServer((request, response) => {
    if (request.url === "/refused") return void response.writeHead(413).end(REFUSAL);
    request.resume();
    request.once("end", () => {
      if (request.url === "/long") Readable.from(longAnswer()).pipe(response);
      else response.end(JSON.stringify({ name, headers: request.headers }));
    });
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    sentParts: () => sentParts,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function post(url: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, { method: "POST", body: "{}", headers });
  const body = (await response.json()) as { name: string; headers: IncomingHttpHeaders };
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body };
}
