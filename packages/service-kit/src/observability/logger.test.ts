import { describe, expect, it } from "@jest/globals";
import { createLogger } from "./logger.ts";

const KEY = "igk_0123456789abcdefghijABCDEFGHIJ0123456789abc";

function logged(write: (logger: ReturnType<typeof createLogger>) => void): Record<string, never> & string {
  let text = "";
  const logger = createLogger(
    { service: "s", instance: "i", level: "trace" },
    { write: (line) => (text += line) },
  );
  write(logger);
  return text as never;
}

describe("errors in the log", () => {
  it("say what failed, and why", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:6379"), { code: "ECONNREFUSED" });
    const error = new Error("no store", { cause });
    expect(JSON.parse(logged((logger) => logger.error({ err: error }, "failed"))).err).toMatchObject({
      type: "Error",
      message: "no store",
      stack: expect.stringContaining("logger.test"),
      cause: { message: "connect ECONNREFUSED 127.0.0.1:6379", code: "ECONNREFUSED" },
    });
  });

  it("describe an unavailable store only by its sentence, at any depth of causes", () => {
    const unavailable = Object.assign(new Error("\nInvalid call\n\nno server"), { code: "ECONNREFUSED" });
    let text = "";
    const logger = createLogger(
      {
        service: "s",
        instance: "i",
        level: "info",
        describeUnavailable: (error) => (error === unavailable ? "The store is unavailable." : undefined),
      },
      { write: (line) => (text += line) },
    );
    logger.warn({ err: new Error("no answer", { cause: unavailable }) }, "failed");
    expect(JSON.parse(text).err.cause).toEqual({
      type: "Error",
      message: "The store is unavailable.",
      code: "ECONNREFUSED",
    });
  });

  it("omit commands, rows and requests that drivers attach", () => {
    const error = Object.assign(new Error("WRONGPASS invalid username-password pair"), {
      command: { name: "auth", args: ["the-password"] },
      detail: "Failing row contains (adv_1, studio@example.com).",
      meta: { driverAdapterError: { cause: { detail: "the-row" } } },
      request: { headers: { authorization: `Bearer ${KEY}` } },
    });
    const text = logged((logger) => logger.child({ requestId: "r" }).warn({ err: error }, "failed"));
    expect(JSON.parse(text).err).toMatchObject({ command: "auth" });
    for (const secret of ["the-password", "studio@example.com", "the-row", KEY])
      expect(text).not.toContain(secret);
  });

  it("mask keys, e-mail addresses and passwords of addresses in messages, causes and stacks", () => {
    const message = `${KEY} of studio@example.com at postgres://user:pass-word@db:5432/x`;
    const error = new AggregateError([new Error(message)], message, { cause: { originalMessage: message } });
    const text = logged((logger) => logger.error({ err: error }, "failed"));
    for (const secret of [KEY, "studio@example.com", "pass-word"]) expect(text).not.toContain(secret);
    expect(text).toContain("igk_[redacted] of [e-mail] at postgres://[redacted]@db:5432/x");
    const harmless = "at f (/x/node_modules/.pnpm/@prisma+client@7.10.0_a@1.2.3/index.js:1:2)";
    expect(logged((logger) => logger.error({ err: new Error(harmless) }))).toContain(harmless);
  });

  it("are written in bounded time and length, whatever was thrown", () => {
    const loop: { cause?: unknown; message: string } = { message: "@".repeat(1_000_000) };
    loop.cause = loop;
    for (const thrown of [
      loop,
      null,
      undefined,
      "text",
      7,
      Symbol("s"),
      { message: "a".repeat(1_000_000) },
    ]) {
      expect(logged((logger) => logger.error({ err: thrown }, "failed")).length).toBeLessThan(50_000);
    }
  });
});
