import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type ComposedApi, startComposedApi } from "../contract/composed-api.fixture.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const campaign = {
  name: "Autumn",
  budget_cents: 10_000,
  cpm_bid_cents: 500,
  creatives: [{ creative_type: "product_mention", brand_name: "Ember" }],
};

let api: ComposedApi;
let directory: string;
let file: string;
beforeAll(async () => {
  api = await startComposedApi();
  directory = mkdtempSync(join(tmpdir(), "diegetic-import-"));
  file = join(directory, "campaigns.jsonl");
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await api.stop();
});

let owner: { accountId: string; key: string };
beforeEach(async () => {
  owner = await api.newAccount();
  const profile = { company_name: "Ember", contact_email: `${owner.accountId}@example.com` };
  await call("POST", "/register", profile);
});

async function call(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { Authorization: `Bearer ${owner.key}`, "Content-Type": "application/json" };
  const answer = await fetch(api.origin(path) + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

function runImport(
  args: string[],
  environment: Record<string, string> = { KEY: owner.key },
  began: (child: ChildProcess) => void = () => {},
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const { KEY: _key, ...inherited } = process.env;
    const env = { ...inherited, ...environment };
    const options = { cwd: root, env };
    const child = execFile(
      process.execPath,
      ["scripts/import.mjs", ...args],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
    began(child);
  });
}

const here = () => ["--url", api.origin("/campaigns/bulk")];
const line = (changes: object = {}) => JSON.stringify({ ...campaign, ...changes });
const names = async () => {
  const rows = await api.database.campaign.findMany({
    where: { advertiser: { accountId: owner.accountId } },
    orderBy: { id: "asc" },
    select: { name: true, creatives: { select: { brandName: true } } },
  });
  expect(rows.every(({ creatives }) => creatives.length === 1)).toBe(true);
  return rows.map(({ name }) => name);
};

describe("npm run import", () => {
  it("creates the campaigns of a file in their order, names lines that are refused, and keeps those aside", async () => {
    const many = Array.from({ length: 1_100 }, (_, n) => line({ name: `Campaign ${n}` }));
    const lowBid = line({ cpm_bid_cents: 99 });
    const tooLong = line({ name: "x".repeat(300_000) });
    writeFileSync(file, [many[0], "", lowBid, "{", "[]", tooLong, ...many.slice(1)].join("\n"));
    const { code, stderr } = await runImport([file, ...here()]);
    expect(stderr.split("\n")).toEqual(
      expect.arrayContaining([
        "Line 3: cpm_bid_cents must be a whole number from 100 to 10000, but 99 was sent",
        "Line 4: the line is not valid JSON: write one object",
        "Line 5: the line is not a JSON object",
        expect.stringMatching(/^Line 6: the line has more than \d+ bytes/),
        expect.stringMatching(/^1100 created, 4 refused, \d+ a second, 100 % of the file/),
      ]),
    );
    expect(code).toBe(1);
    expect(await names()).toEqual(Array.from({ length: 1_100 }, (_, n) => `Campaign ${n}`));
    expect(stderr).toContain("Drafts are not served");
    expect(readFileSync(`${file}.rejected`, "utf8").split("\n")).toEqual([lowBid, "{", "[]", tooLong, ""]);
  });

  it("keeps a line aside that is too long, although it is the only one that is refused and the last one", async () => {
    const tooLong = line({ name: "x".repeat(300_000) });
    writeFileSync(file, [line(), tooLong].join("\r\n"));
    const { code, stderr } = await runImport([file, ...here()]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${file}.rejected`) });
    expect(readFileSync(`${file}.rejected`, "utf8")).toBe(`${tooLong}\n`);
  });

  it("activates campaigns whose lines say so, and all with --activate", async () => {
    await call("POST", "/deposit", { amount_cents: 1_000 });
    const statuses = async () => {
      const rows = await api.database.campaign.findMany({
        where: { advertiser: { accountId: owner.accountId } },
        orderBy: { name: "asc" },
      });
      return rows.map(({ name, status }) => `${name} ${status}`);
    };
    writeFileSync(file, [line({ name: "A" }), line({ name: "B", activate: true })].join("\n"));
    expect(await runImport([file, ...here()])).toMatchObject({ code: 0 });
    expect(await statuses()).toEqual(["A draft", "B active"]);
    const without = line({ name: "E", creatives: [] });
    writeFileSync(file, [line({ name: "C", activate: false }), line({ name: "D" }), without].join("\n"));
    const { code, stderr } = await runImport([file, "--activate", ...here()]);
    expect(code).toBe(1);
    expect(stderr).toContain("Line 3: The campaign has no creative");
    expect(stderr).toMatch(/2 created, 1 refused, \d+ a second, 100 % of the file/);
    expect(stderr).not.toContain("Drafts");
    expect(readFileSync(`${file}.rejected`, "utf8")).toBe(`${without}\n`);
    expect(await statuses()).toEqual(["A draft", "B active", "C active", "D active"]);
  });

  it("does not create lines again that were imported with another option", async () => {
    await call("POST", "/deposit", { amount_cents: 1_000 });
    writeFileSync(file, [line(), "{}", line()].join("\n"));
    expect((await runImport([file, ...here()])).stderr).toContain("2 created, 1 refused");
    const { code, stderr } = await runImport([file, "--activate", ...here()]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("Stopped at line 1: these lines were imported without --activate"),
    });
    expect(await names()).toHaveLength(2);
  });

  it("says while it waits which address is not reached", async () => {
    writeFileSync(file, line());
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const { stderr } = await runImport([file, "--url", `http://127.0.0.1:${port}`], undefined, (child) => {
      child.stderr?.on("data", (text: string) => {
        if (text.includes("waiting")) child.kill("SIGINT");
      });
    });
    expect(stderr).toMatch(
      new RegExp(`waiting \\d+ s: http://127.0.0.1:${port} cannot be reached .+ or set --url`),
    );
  });

  it("repeats lines whose answer was cut off", async () => {
    writeFileSync(file, line());
    let requests = 0;
    const answer = '{"results":[{"status":201,"campaign":{"status":"active"}}]}';
    const broken = createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        requests += 1;
        response.writeHead(200, { "Content-Length": answer.length });
        if (requests > 1) response.end(answer);
        else response.write(answer.slice(0, 9), () => response.destroy());
      });
    });
    await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
    const { port } = broken.address() as AddressInfo;
    const { code, stderr } = await runImport([file, "--url", `http://127.0.0.1:${port}`]);
    broken.close();
    expect({ code, requests }).toEqual({ code: 0, requests: 2 });
    expect(stderr).toContain("waiting");
  });

  it.each<[string, number, () => string]>([
    // A date has no milliseconds.
    ["a date", 1_400, () => new Date(Date.now() + 2_500).toUTCString()],
    ["nothing that can be read", 400, () => "soon"],
  ])("waits after 429 when Retry-After is %s", async (_what, leastMs, retryAfter) => {
    writeFileSync(file, line());
    const timesMs: number[] = [];
    const limited = createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        timesMs.push(performance.now());
        if (timesMs.length > 1) response.end('{"results":[{"status":201,"campaign":{"status":"active"}}]}');
        else response.writeHead(429, { "Retry-After": retryAfter() }).end('{"detail":"Too many requests."}');
      });
    });
    await new Promise<void>((resolve) => limited.listen(0, "127.0.0.1", resolve));
    const { port } = limited.address() as AddressInfo;
    const { code, stderr } = await runImport([file, "--url", `http://127.0.0.1:${port}`]);
    limited.close();
    expect(stderr).toMatch(/waiting \d s: the rate limit/);
    const [first = 0, second = 0] = timesMs;
    expect({ code, requests: timesMs.length }).toEqual({ code: 0, requests: 2 });
    expect(second - first).toBeGreaterThan(leastMs);
  });

  it("names neighbours together that are refused for the same reason", async () => {
    const lowBids = Array.from({ length: 150 }, () => line({ cpm_bid_cents: 99 }));
    writeFileSync(file, [line(), ...lowBids, line({ name: "" }), line()].join("\n"));
    const { code, stderr } = await runImport([file, ...here()]);
    expect(code).toBe(1);
    const refused = stderr.split("\n").filter((text) => text.startsWith("Line"));
    const lowBid = "cpm_bid_cents must be a whole number from 100 to 10000, but 99 was sent";
    expect(refused).toEqual([
      `Lines 2 to 100: ${lowBid}`,
      `Lines 101 to 151: ${lowBid}`,
      expect.stringMatching(/^Line 152: name must be text/),
    ]);
    expect(stderr).toContain("2 created, 151 refused");
    expect(readFileSync(`${file}.rejected`, "utf8").trim().split("\n")).toHaveLength(151);
  });

  it("says after Ctrl-C how to go on", async () => {
    writeFileSync(file, line());
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const asked = once(silent, "request");
    const { port } = silent.address() as AddressInfo;
    const stopped = await runImport([file, "--url", `http://127.0.0.1:${port}`], undefined, (child) => {
      void asked.then(() => child.kill("SIGINT"));
    });
    silent.closeAllConnections();
    silent.close();
    expect(stopped).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("Stopped: repeat the command"),
    });
  });

  it("creates nothing twice when it is repeated, and goes on where it was interrupted", async () => {
    const lines = Array.from({ length: 700 }, (_, n) => line({ name: `Campaign ${n}` }));
    writeFileSync(file, lines.join("\n"));
    // An address that drops the first response and then breaks, like a process that is killed between two requests.
    let requests = 0;
    const breaking = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", async () => {
        requests += 1;
        if (requests > 1) {
          response.writeHead(401).end('{"detail":"The API key is unknown."}');
          return;
        }
        const {
          host: _host,
          "content-length": _length,
          connection: _connection,
          ...headers
        } = request.headers;
        const answer = await fetch(`${api.origin("/campaigns/bulk")}/campaigns/bulk`, {
          method: "POST",
          headers: headers as Record<string, string>,
          body: Buffer.concat(chunks),
        });
        response.writeHead(answer.status, { "Content-Type": "application/json" }).end(await answer.text());
      });
    });
    await new Promise<void>((resolve) => breaking.listen(0, "127.0.0.1", resolve));
    const { port } = breaking.address() as AddressInfo;
    const stopped = await runImport([file, "--url", `http://127.0.0.1:${port}`]);
    breaking.close();
    expect(stopped).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Stopped at line 101: 401: The API key is unknown."),
    });
    expect(await names()).toHaveLength(100);
    for (const counts of ["600 created, 100 created earlier", "0 created, 700 created earlier"]) {
      const { code, stderr } = await runImport([file, ...here()]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`${counts}, 0 refused`) });
    }
    expect(await names()).toEqual(Array.from({ length: 700 }, (_, n) => `Campaign ${n}`));
    expect(existsSync(`${file}.rejected`)).toBe(false);
  });

  it.each<[string, string[], Record<string, string> | undefined, number, string]>([
    ["no file", [], undefined, 2, "Name one file."],
    ["a file that is not there", ["nowhere.jsonl"], undefined, 2, "There is no file nowhere.jsonl"],
    ["a folder", ["docs"], undefined, 2, "docs is no file: name one."],
    ["no key", ["package.json"], {}, 2, "KEY is missing"],
    ["an unknown option", ["package.json", "--fast"], undefined, 2, "Unknown option '--fast'"],
  ])("says what is wrong: %s", async (_what, args, environment, code, sentence) => {
    const answer = await runImport(args, environment);
    expect(answer).toMatchObject({ code, stderr: expect.stringContaining(sentence) });
    expect(answer.stderr).not.toMatch(/^\s+at /m);
  });
});
