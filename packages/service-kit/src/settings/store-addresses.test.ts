import { describe, expect, it } from "@jest/globals";
import { readSettings } from "./settings.ts";
import { databaseUrlSetting, redisUrlSetting } from "./store-addresses.ts";

const read = (environment: Record<string, string>) =>
  readSettings(environment, {
    settings: {},
    secrets: { databaseUrl: databaseUrlSetting, redisUrl: redisUrlSetting },
  }).secrets;
const GOOD = { DATABASE_URL: "postgres://127.0.0.1/x", REDIS_URL: "redis://127.0.0.1" };

describe("the address of a store", () => {
  it.each([
    ["DATABASE_URL", "postgres://user:p@ss@db.example:5432/name?sslmode=require"],
    ["DATABASE_URL", "postgresql://user@[::1]:5432/name"],
    ["DATABASE_URL", "postgres://user:pass word@localhost"],
    ["DATABASE_URL", "postgres:///name?host=/var/run/postgresql"],
    ["DATABASE_URL", "postgres://user:secret@/name?host=/cloudsql/project:region:name"],
    ["REDIS_URL", "redis://:secret@127.0.0.1:6379/1"],
    ["REDIS_URL", "rediss://redis.example"],
    ["REDIS_URL", "redis-cluster://h1:7000,h2:7001"],
    ["REDIS_URL", "redis-cluster://:p%40ss@h1:7000,h2:7001"],
    ["REDIS_URL", "rediss-cluster://user:a,b:c@redis.example:6379"],
  ])("is accepted: %s=%s", (variable, text) => {
    expect(Object.values(read({ ...GOOD, [variable]: text }))).toContain(text);
  });

  it.each([
    ["DATABASE_URL", "banana", "does not begin with postgres:// or postgresql://."],
    ["DATABASE_URL", "mysql://user:secret@x/y", "does not begin with postgres:// or postgresql://."],
    ["DATABASE_URL", "postgres://", "names no host."],
    ["DATABASE_URL", "postgres://user:secret@/name", "names no host."],
    [
      "DATABASE_URL",
      "postgres://user:secret@host:port/name",
      "cannot be read: see that the port is a number",
    ],
    ["DATABASE_URL", "postgres://user:secret@host:0/name", "names port 0."],
    [
      "REDIS_URL",
      "http://:secret@y",
      "does not begin with redis:// or rediss:// or redis-cluster:// or rediss-cluster://.",
    ],
    ["REDIS_URL", "redis://:secret@", "cannot be read: "],
    ["REDIS_URL", "redis-cluster://h1:7000,h2", "not all of this one are hosts with their ports"],
    ["REDIS_URL", "rediss-cluster://user:secret@h1", "not all of this one are hosts with their ports"],
    ["REDIS_URL", "redis-cluster://secret@h1:7000", "is not user:password"],
    ["REDIS_URL", "redis-cluster://user:%zsecret@h1:7000", "is not user:password"],
    ["REDIS_URL", "redis-cluster://user:a/secret@h1:7000", "is not user:password"],
  ])("is refused with an example, and without its password: %s=%s", (variable, text, what) => {
    const attempt = () => read({ ...GOOD, [variable]: text });
    expect(attempt).toThrow(`${variable} has an unusable value: it must be an address like `);
    expect(attempt).toThrow(what);
    expect(attempt).not.toThrow("secret");
  });
});
