import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";

const program = new URL("./run-service.fixture.ts", import.meta.url);

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

interface Child {
  process: ChildProcess;
  ready: Promise<{ type: string; port: number }>;
  exit: Promise<{ code: number | null; stderr: string; stdout: string }>;
}

function start(environment: Record<string, string> = {}, stdout: "pipe" | number = "pipe"): Child {
  const child = fork(program, {
    env: { PATH: process.env.PATH, ...environment },
    execArgv: ["--conditions=@diegetic/source"],
    stdio: ["ignore", stdout, "pipe", "ipc"],
  });
  children.push(child);
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (output.stdout += chunk));
  child.stderr?.on("data", (chunk) => (output.stderr += chunk));
  return {
    process: child,
    ready: once(child, "message").then(([message]) => message),
    exit: once(child, "close").then(([code]) => ({ code, ...output })),
  };
}

const slow = (port: number) => fetch(`http://127.0.0.1:${port}/`);

describe("runService", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("drains on %s and exits with 0", async (signal) => {
    const child = start();
    const { type, port } = await child.ready;
    expect(type).toBe("ready");
    const requested = once(child.process, "message");
    const answer = slow(port);
    await requested;
    child.process.kill(signal);
    expect(await (await answer).text()).toBe("done");
    const { code, stdout } = await child.exit;
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.msg)).toEqual(["starting", "started", "stopping", "stopped"]);
    expect(lines[2]).toMatchObject({ service: "fixture", instance: "fixture", reason: signal });
  });

  it("serves and stops although nothing can be written to its log: a full disk", async () => {
    const full = openSync("/dev/full", "w");
    const child = start({}, full);
    closeSync(full);
    const { port } = await child.ready;
    const requested = once(child.process, "message");
    const answer = slow(port);
    await requested;
    child.process.kill("SIGTERM");
    expect(await (await answer).text()).toBe("done");
    expect(await child.exit).toMatchObject({ code: 0, stderr: "" });
  });

  it("stops when its parent is gone", async () => {
    const child = start();
    await child.ready;
    const exit = once(child.process, "exit");
    child.process.disconnect();
    expect(await exit).toEqual([0, null]);
  });

  it("aborts a drain that takes too long", async () => {
    const child = start({ STOP: "never" });
    await child.ready;
    child.process.kill("SIGTERM");
    const { code, stdout } = await child.exit;
    expect(code).toBe(1);
    expect(stdout).toMatch(/"stopTimeoutMs":500,"msg":"stop timed out"/);
  });

  it("says in one sentence that a setting is wrong", async () => {
    const { code, stderr } = await start({ PORT: "http" }).exit;
    expect(code).toBe(1);
    expect(stderr).toBe('fixture cannot start: PORT is "http": it must be a whole number from 0 to 65535.\n');
  });

  it("says in one sentence that its port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await start({ PORT: String(port) }).exit;
    other.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `fixture cannot start: Port 127.0.0.1:${port} is already in use: set PORT to a free port.\n`,
    );
  });

  it("exits with 1 after a crash", async () => {
    const child = start({ STOP: "crash" });
    await child.ready;
    const { code, stdout } = await child.exit;
    expect(code).toBe(1);
    expect(stdout).toContain('"msg":"crashed"');
  });
});
