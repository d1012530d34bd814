import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { expectReachable } from "./external-stores.ts";

describe("a store that the operator names", () => {
  const server = createServer((socket) => socket.destroy());
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.close();
  });

  it.each([
    ["postgres://user:p@ss@127.0.0.1:PORT/db?x=1"],
    ["redis://127.0.0.1:PORT/0"],
    ["redis://[::ffff:127.0.0.1]:PORT"],
    ["redis-cluster://127.0.0.1:1,127.0.0.1:PORT"],
  ])("is found at %s", async (url) => {
    await expectReachable("REDIS_URL", url.replace("PORT", String(port)), 1);
  });

  it("uses the default port where none is given", async () => {
    await expectReachable("REDIS_URL", "redis://127.0.0.1", port);
  });

  it("is named in one sentence when nothing answers, without the password", async () => {
    const attempt = expectReachable("DATABASE_URL", "postgres://user:secret@127.0.0.1:1/db", 5432);
    await expect(attempt).rejects.toThrow(
      "DATABASE_URL names 127.0.0.1:1, where nothing answers: start it, or unset DATABASE_URL.",
    );
  });
});
