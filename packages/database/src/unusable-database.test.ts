import { type AddressInfo, createServer } from "node:net";
import { createTestDatabase } from "@diegetic/testing/database";
import { startTestRedis } from "@diegetic/testing/redis";
import { afterEach, describe, expect, it } from "@jest/globals";
import { unusableDatabase } from "./unusable-database.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe("a database that an operator sets", () => {
  it("is usable with the right password and name", async () => {
    const database = await createTestDatabase();
    closers.push(() => database.drop());
    expect(await unusableDatabase(database.url)).toBeUndefined();
    const other = new URL(database.url);
    other.pathname = "/nothing_of_this_name";
    expect(await unusableDatabase(other.href)).toContain("no database of the name in DATABASE_URL");
  });

  it("is unreachable where no server listens, without naming the password", async () => {
    const sentence = await unusableDatabase("postgres://user:secret@127.0.0.1:1/x");
    expect(sentence).toMatch(/^Postgres is not reached at DATABASE_URL \(.*ECONNREFUSED/);
    expect(sentence).not.toContain("secret");
  });

  it("is unusable at the address of a Redis or of a silent server", async () => {
    const redis = await startTestRedis();
    const server = createServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(
      () => redis.stop(),
      () => server.close(),
    );
    const silent = `postgres://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
    const urls = [redis.url.replace("redis:", "postgres:"), silent];
    for (const sentence of await Promise.all(urls.map(unusableDatabase))) {
      expect(sentence).toMatch(/ DATABASE_URL .*: (correct the address|see that it runs)/);
    }
  });
});
