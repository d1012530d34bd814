import { readFile } from "node:fs/promises";
import * as tls from "node:tls";
import { createTestCertificate, type TestCertificate } from "@diegetic/testing/certificate";
import { eventually } from "@diegetic/testing/eventually";
import { freePort } from "@diegetic/testing/free-port";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { connectRedis } from "./connection.ts";
import { describeRedisUnavailable } from "./redis-unavailable.ts";
import { unusableRedis } from "./unusable-redis.ts";

/** Since Node 22.19; all tests run on a later one. */
const trust = tls as unknown as {
  getCACertificates(type: "default"): string[];
  setDefaultCACertificates(certificates: string[]): void;
};
const PASSWORD = "p@ss,w%rd";
const CREDENTIALS = `game:${encodeURIComponent(PASSWORD)}`;

const trusted = trust.getCACertificates("default");
let files: TestCertificate;
let server: TestRedis;
let plainPort: number;
let tlsPort: number;

/** A cluster of one node, whose only user has a password, and which takes TLS beside plain connections. */
beforeAll(async () => {
  files = await createTestCertificate();
  const { certificate, key } = files;
  trust.setDefaultCACertificates([...trusted, await readFile(certificate, "utf8")]);
  tlsPort = await freePort();
  server = await startTestRedis({
    clusterNode: true,
    flags: [
      ...["--tls-port", String(tlsPort), "--tls-cluster", "yes", "--tls-auth-clients", "no"],
      ...["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate],
      ...["--cluster-announce-hostname", "localhost", "--cluster-preferred-endpoint-type", "hostname"],
    ],
  });
  plainPort = Number(new URL(server.url).port);
  const admin = connectRedis(server.url, { name: "test" });
  await admin.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
  await eventually(async () => String(await admin.call("CLUSTER", "INFO")).includes("cluster_state:ok"));
  await admin.call("ACL", "SETUSER", "game", "on", `>${PASSWORD}`, "~*", "&*", "+@all");
  await admin.call("ACL", "SETUSER", "default", "off");
  admin.disconnect();
});
afterAll(async () => {
  trust.setDefaultCACertificates(trusted);
  await server.stop();
  await files.remove();
});

describe("a cluster with a password", () => {
  it.each([
    ["without TLS", () => `redis-cluster://${CREDENTIALS}@127.0.0.1:${plainPort}`],
    ["by TLS", () => `rediss-cluster://${CREDENTIALS}@localhost:${tlsPort}`],
    [
      "by TLS while one of the named nodes is gone",
      () => `rediss-cluster://${CREDENTIALS}@localhost:1,localhost:${tlsPort}`,
    ],
  ])("is used %s", async (_how, url) => {
    expect(await unusableRedis(url())).toBeUndefined();
    const redis = connectRedis(url(), { name: "test" });
    expect(await redis.set("{a}:key", "value")).toBe("OK");
    expect(await redis.get("{a}:key")).toBe("value");
    redis.disconnect();
  });

  it.each([
    ["redis-cluster", () => plainPort],
    ["rediss-cluster", () => tlsPort],
  ])("refuses another password by %s", async (scheme, port) => {
    const sentence = "Redis refuses the user or the password of REDIS_URL: correct them.";
    const url = `${scheme}://game:wrong@localhost:${port()}`;
    expect(await unusableRedis(url)).toBe(sentence);
    const redis = connectRedis(url, { name: "test" });
    const error = await redis.get("{a}:key").catch((thrown: unknown) => thrown);
    redis.disconnect();
    expect(describeRedisUnavailable(error)).toBe(sentence);
  });

  it.each([
    ["run scripts", "-@scripting", "return 1"],
    ["run what a script has", "-get", "return redis.call('GET', KEYS[1])"],
  ])("is unavailable to a user who may not %s", async (_what, denied, script) => {
    const url = `redis-cluster://${CREDENTIALS}@127.0.0.1:${plainPort}`;
    const redis = connectRedis(url, { name: "test" });
    await redis.call("ACL", "SETUSER", "limited", "reset", "on", ">secret", "~*", "&*", "+@all", denied);
    redis.disconnect();
    const limited = connectRedis(url.replace(CREDENTIALS, "limited:secret"), { name: "test" });
    const error = await limited.eval(script, 1, "{a}:key").catch((thrown: unknown) => thrown);
    limited.disconnect();
    expect(describeRedisUnavailable(error)).toMatch(/^The user of REDIS_URL lacks permissions/);
  });

  it("is not used by TLS when nobody trusts its certificate", async () => {
    trust.setDefaultCACertificates(trusted);
    expect(await unusableRedis(`rediss-cluster://${CREDENTIALS}@localhost:${tlsPort}`)).toBe(
      "The certificate of Redis is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): name its issuer's certificates in NODE_EXTRA_CA_CERTS, and in REDIS_URL the host that it is for.",
    );
  });
});
