import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { languages, runtimes } from "./languages.ts";

const IMPRESSIONS_BEFORE_CRASH = 100;
const TIMEOUT_MS = 240_000;

// Both Python clients have the same outbox.
const clients = [...languages.filter(({ name }) => name !== "Python (async)"), ...runtimes];

describe.each(clients)("the outbox file of the $name client", ({ missing, recorder }) => {
  if (missing !== undefined) {
    it.skip(`is not tested here: ${missing}`, () => undefined);
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), "diegetic-crash-"));
  const recorded = new Set<string>();
  const children: ChildProcess[] = [];
  let isAvailable = false;
  let server: Server;
  let command: string[];

  beforeAll(async () => {
    command = await recorder(directory);
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk as Buffer);
      } catch {
        // The client was killed while it sent.
        return undefined;
      }
      if (!isAvailable) return response.writeHead(503).end();
      const { match_id } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      recorded.add(match_id);
      response.writeHead(201, { "Content-Type": "application/json" });
      return response.end(JSON.stringify({ impression_id: `imp-${match_id}`, charged_cents: 1 }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (name: string) => {
    const [program = "", ...args] = command;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
    const target = [url, join(directory, "impressions.jsonl"), name];
    const child = spawn(program, [...args, ...target], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    // A line that the crash cut off was not printed.
    return { child, closed: once(child, "close"), lines: () => printed.split("\n").slice(0, -1) };
  };

  const recordUntilKilled = async (name: string): Promise<string[]> => {
    const { child, closed, lines } = start(name);
    await eventually(() => lines().length >= IMPRESSIONS_BEFORE_CRASH, { timeoutMs: TIMEOUT_MS });
    child.kill("SIGKILL");
    await closed;
    return lines();
  };

  it("keeps every accepted impression when its process is killed", async () => {
    const accepted = await recordUntilKilled("unavailable");
    isAvailable = true;
    accepted.push(...(await recordUntilKilled("available")));
    const { closed, lines } = start("deliver");
    await closed;
    expect(lines()).toEqual(["0"]);
    expect(accepted.filter((matchId) => !recorded.has(matchId))).toEqual([]);
  });
});
