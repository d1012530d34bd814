import { newId } from "@diegetic/contracts";
import { createManagement, type Management } from "@diegetic/management/management";
import { readManagementSettings } from "@diegetic/management/settings";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { PATIENT_MANAGEMENT } from "@diegetic/testing/patient";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";

const LIMIT = 3;
/** Unknown browsers together have this many times the limit. */
const STRANGERS_FACTOR = 5;
const SETUP_TOKEN = "the setup token of this test";
const PASSWORD = "the password of this test";
const NEW_PASSWORD = "another password of this test";

let database: TestDatabase;
let redis: TestRedis;
let management: Management;
const lines: string[] = [];
beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const settings = readManagementSettings({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    PLAYER_HASH_KEY: "k".repeat(32),
    AUTH_SECRET: "a secret of more than thirty-two characters",
    PUBLIC_URL: "https://dashboard.example",
    RATE_LIMIT_SIGN_IN: String(LIMIT),
    SETUP_TOKEN,
    TRUSTED_PROXIES: "loopback",
  });
  const logger = createLogger(
    { service: "management", instance: "test", level: "trace" },
    { write: (line: string) => void lines.push(line) },
  );
  const metrics = createMetrics({ service: "management" });
  management = createManagement({ settings, logger, metrics, ...PATIENT_MANAGEMENT });
  await management.start();
  await forgetLostLeases(redis.url);
  await signUp("192.0.2.254", { setup_token: SETUP_TOKEN });
});
afterAll(async () => {
  await management.stop();
  await redis.stop();
  await database.drop();
});

const OWN = { Origin: "https://dashboard.example" };

function post(path: string, body: object, address: string, headers: object = OWN) {
  return request(management.app)
    .post(`/api${path}`)
    .set({ ...headers, "X-Forwarded-For": address })
    .send(body);
}

async function signUp(
  address: string,
  fields: object = {},
): Promise<{ email: string; cookie: string; device: string }> {
  const email = `${newId("usr")}@example.com`;
  const body = { name: "Ada", email, password: PASSWORD, ...fields };
  const answer = await post("/auth/sign-up", body, address).expect(201);
  const [setCookie = "", device = ""] = answer.headers["set-cookie"] as unknown as string[];
  expect(setCookie).toMatch(/^__Host-diegetic_session=[^;]+;.* Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  const [cookie = "", known = ""] = [setCookie, device].map((one) => one.split(";", 1)[0]);
  return { email, cookie, device: known };
}

describe("guessing a password", () => {
  it("is bounded for a client address, whomever it tries", async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt <= LIMIT * 2; attempt += 1) {
      const body = { email: `${newId("usr")}@example.com`, password: "guess" };
      const answer = await post("/auth/sign-in", body, "192.0.2.1");
      statuses.push(answer.status);
      if (answer.status === 429) expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
    }
    expect(statuses).toContain(429);
  });

  it("from one address does not keep the user out elsewhere", async () => {
    const { email } = await signUp("192.0.2.10");
    let status = 0;
    for (let attempt = 0; attempt <= LIMIT * 2 && status !== 429; attempt += 1) {
      status = (await post("/auth/sign-in", { email, password: "guess" }, "192.0.2.11")).status;
    }
    expect(status).toBe(429);
    await post("/auth/sign-in", { email, password: PASSWORD }, "192.0.2.12").expect(200);
  });

  it("is bounded for a user, from however many addresses; a browser that the user has used still signs in", async () => {
    const { email, cookie, device } = await signUp("192.0.2.2");
    const other = await signUp("192.0.2.9");
    const right = { email, password: PASSWORD };
    // Twice as many, should the minute end meanwhile.
    const attempts = 2 * (LIMIT * STRANGERS_FACTOR + 1);
    let status = 0;
    for (let attempt = 0; attempt < attempts && status !== 429; attempt += 1) {
      // A cookie of another user's browser is worth nothing.
      const headers = { ...OWN, Cookie: other.device };
      const guess = { email, password: "guess" };
      status = (await post("/auth/sign-in", guess, `198.51.100.${attempt}`, headers)).status;
    }
    expect(status).toBe(429);
    await post("/auth/sign-in", right, "203.0.113.1", { ...OWN, Cookie: device }).expect(200);
    await request(management.app).get("/api/session").set("Cookie", cookie).expect(200);
  });
});

describe("over https", () => {
  it("only the address that browsers use is the service's own", async () => {
    const { cookie } = await signUp("192.0.2.3");
    const change = (origin: string, host: string) =>
      request(management.app)
        .patch("/api/user")
        .set({ Cookie: cookie, Origin: origin, Host: host })
        .send({ name: "Ada" });
    await change("https://dashboard.example", "internal:8080").expect(200);
    await change("http://dashboard.example", "dashboard.example").expect(403);
    await change("https://evil.example", "evil.example").expect(403);
  });

  it("a cookie of the name without prefix is none", async () => {
    const { cookie } = await signUp("192.0.2.4");
    await request(management.app)
      .get("/api/session")
      .set("Cookie", cookie.replace("__Host-", ""))
      .expect(401);
  });
});

describe("the log", () => {
  it("has no password, cookie, token or e-mail address in it, even at its finest", async () => {
    const { email, cookie } = await signUp("192.0.2.5");
    const headers = { ...OWN, Cookie: cookie };
    const { body: invitation } = await post("/invitations", { role: "viewer" }, "192.0.2.5", headers).expect(
      201,
    );
    await post("/auth/invitation", { token: invitation.token }, "192.0.2.5").expect(200);
    const change = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    const changed = await post("/auth/change-password", change, "192.0.2.5", headers).expect(204);
    await post("/auth/sign-in", { email, password: "wrong of this test" }, "192.0.2.6").expect(401);
    await post("/auth/sign-up", { name: "Bo", email, password: PASSWORD }, "192.0.2.7").expect(409);
    const { database: stores } = management;
    await stores.$executeRaw`ALTER TABLE account_sessions RENAME TO elsewhere`;
    await post("/auth/sign-in", { email, password: NEW_PASSWORD }, "192.0.2.8").expect(500);
    await stores.$executeRaw`ALTER TABLE elsewhere RENAME TO account_sessions`;
    const log = lines.join("");
    expect(log).toContain("request failed");
    const [newCookie = ""] = changed.headers["set-cookie"] as unknown as string[];
    const values = [cookie, newCookie].map(
      (one) => decodeURIComponent(one.split(";", 1)[0] ?? "").split("=")[1],
    );
    const tokens = values.flatMap((value) => (value ?? "").split("."));
    expect(tokens.every((token) => token.length > 20)).toBe(true);
    const { id, ...rest } = invitation;
    expect(id).toMatch(/^inv_/);
    for (const secret of [PASSWORD, NEW_PASSWORD, "wrong of this test", email, rest.token, ...tokens]) {
      expect(log).not.toContain(secret);
    }
  });
});
