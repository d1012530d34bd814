import { type AddressInfo, createServer, type Socket } from "node:net";
import { startTestRedis, startTestRedisCluster } from "@diegetic/testing/redis";
import { startRewritingProxy } from "@diegetic/testing/rewriting-proxy";
import { afterEach, describe, expect, it } from "@jest/globals";
import { Redis } from "ioredis";
import { unusableRedis } from "./unusable-redis.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe("a Redis that an operator names", () => {
  it("can be used alone by redis://, and a cluster by redis-cluster://", async () => {
    const [single, cluster] = await Promise.all([startTestRedis(), startTestRedisCluster()]);
    closers.push(
      () => single.stop(),
      () => cluster.stop(),
    );
    expect(await unusableRedis(single.url)).toBeUndefined();
    expect(await unusableRedis(cluster.url)).toBeUndefined();
    const nodes = cluster.url.slice("redis-cluster://".length);
    expect(await unusableRedis(`redis-cluster://127.0.0.1:1,${nodes}`)).toBeUndefined();
    expect(await unusableRedis(single.url.replace("redis:", "redis-cluster:"))).toContain("is none: write");
    expect(await unusableRedis(`redis://${nodes.split(",")[0]}`)).toContain("is a node of a cluster: write");
  });

  it.each([
    ["ends the connection, as Postgres does", (socket: Socket) => socket.on("data", () => socket.destroy())],
    ["answers in HTTP", (socket: Socket) => socket.on("data", () => socket.end("HTTP/1.1 400 Bad\r\n\r\n"))],
    ["greets in words", (socket: Socket) => socket.write("SSH-2.0-OpenSSH_9.2\r\n")],
  ])("is none when what stands there %s", async (_what, onConnection) => {
    const port = await listen(onConnection);
    expect(await unusableRedis(`redis://127.0.0.1:${port}`)).toBe(
      "What answers at REDIS_URL is not a Redis server: correct the address.",
    );
  });

  it("is not reached where nobody listens", async () => {
    expect(await unusableRedis("redis://user:secret@127.0.0.1:1")).toMatch(
      /^Redis is not reached at REDIS_URL \((ECONNREFUSED|the connection is gone)\): /,
    );
  });

  it("does not answer where everything is silent", async () => {
    const port = await listen(() => undefined);
    expect(await unusableRedis(`redis://127.0.0.1:${port}`)).toContain(
      "does not answer in time at REDIS_URL",
    );
  });

  it("may be too old, and the sentence says which version is needed", async () => {
    const server = await startTestRedis();
    const old = await startRewritingProxy(Number(new URL(server.url).port), {
      from: /redis_version:\d\.\d/,
      to: "redis_version:6.2",
    });
    closers.push(
      () => server.stop(),
      () => old.stop(),
    );
    expect(await unusableRedis(`redis://127.0.0.1:${old.port}`)).toMatch(
      /^Redis at REDIS_URL has version 6\.2\.\d+: upgrade it to 7\.0 or later\.$/,
    );
  });

  it("may refuse the password", async () => {
    const server = await startTestRedis();
    closers.push(() => server.stop());
    const url = server.url.replace("redis://", "redis://nobody:wrong@");
    expect(await unusableRedis(url)).toBe(
      "Redis refuses the user or the password of REDIS_URL: correct them.",
    );
  });

  it.each([
    ["commands", "~* &* +@all -@dangerous"],
    ["channels", "~* resetchannels +@all"],
  ])("may withhold %s from the user", async (_what, rights) => {
    const server = await startTestRedis();
    closers.push(() => server.stop());
    const admin = new Redis(server.url);
    await admin.call("ACL", "SETUSER", "app", "on", ">secret", ...rights.split(" "));
    admin.disconnect();
    const url = server.url.replace("redis://", "redis://app:secret@");
    expect(await unusableRedis(url)).toMatch(/^The user of REDIS_URL has too few rights: /);
  });
});
