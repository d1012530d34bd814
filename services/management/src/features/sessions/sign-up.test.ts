import type { RequestListener } from "node:http";
import { newId } from "@diegetic/contracts";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { documented } from "@diegetic/testing/documented";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";
import type { Management } from "../../management.ts";
import { openBrowser } from "../../testing/browser.ts";
import { BASE, createInstance } from "../../testing/harness.ts";
import { createDemo } from "../demo/demo.ts";
import { createDemoLogin } from "../demo/login.ts";

const SETUP_TOKEN = "known to whoever starts the service";
const ELSEWHERE = "192.0.2.7";
const HERE = "127.0.0.1";

let database: TestDatabase;
let redis: TestRedis;
const instances: Management[] = [];
beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  await instance().start();
  await forgetLostLeases(redis.url);
});
afterAll(async () => {
  for (const one of instances) await one.stop();
  await redis.stop();
  await database.drop();
});

/** Management with these settings; all of them are one installation. */
function instance(environment: Record<string, string> = {}): Management {
  const secrets = { databaseUrl: database.url, redisUrl: redis.url };
  const made = createInstance(secrets, undefined, undefined, { environment });
  instances.push(made);
  return made;
}

/** A request of a client on another machine, or on this one. */
function ask({ app }: { app: RequestListener }, from: string, fields?: object) {
  const path = `${BASE}/auth/sign-up`;
  const sent = fields === undefined ? request(app).get(path) : request(app).post(path);
  const headers = { "X-Forwarded-For": from, "Sec-Fetch-Site": "same-origin" };
  const test = documented(sent.set(headers));
  const user = { name: "Ada", email: `${newId("usr")}@example.com`, password: "a password of tests" };
  return fields === undefined ? test : test.send({ ...user, ...fields });
}

describe("the first sign-up, which makes the operator", () => {
  const NEEDS_TOKEN = { needs_invitation: false, needs_setup_token: true };

  it("needs no token on the machine of the service, where only that machine can be", async () => {
    const local = instance();
    const free = { needs_invitation: false, needs_setup_token: false };
    for (const from of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      expect((await ask(local, from).expect(200)).body).toEqual(free);
    }
    expect((await ask(local, ELSEWHERE).expect(200)).body).toEqual(NEEDS_TOKEN);
    const behindProxy = instance({ PUBLIC_URL: "https://ads.example.com" });
    expect((await ask(behindProxy, "127.0.0.1").expect(200)).body).toEqual(NEEDS_TOKEN);
    const invited = instance({ SIGN_UP: "invited" });
    expect((await ask(invited, "127.0.0.1").expect(200)).body).toEqual(free);
  });

  it("is refused from elsewhere while there is no token", async () => {
    const answer = await ask(instance(), ELSEWHERE, { setup_token: "guessed" }).expect(403);
    expect(answer.body.detail).toContain("set SETUP_TOKEN first");
  });

  it("is refused without the right token, also by an invitation of the demo's login", async () => {
    const guarded = instance({ SETUP_TOKEN });
    const { accountId } = await createDemo(guarded.database, "s".repeat(32), Date.now());
    const login = await createDemoLogin(guarded.database, accountId, "s".repeat(32));
    const demo = openBrowser(guarded.app);
    await demo.post("/auth/sign-in", login).expect(200);
    const { token } = (await demo.post("/invitations", { role: "owner" }).expect(201)).body;
    for (const from of ["127.0.0.1", ELSEWHERE]) {
      expect((await ask(guarded, from).expect(200)).body).toEqual(NEEDS_TOKEN);
      for (const fields of [{}, { setup_token: "guessed" }, { invitation_token: token }]) {
        const answer = await ask(guarded, from, fields).expect(403);
        expect(answer.body.detail).toMatch(/^setup_token is wrong or missing/);
      }
    }
    expect(await guarded.database.user.count()).toBe(1);
  });

  it("needs the token that the service was started with, and nobody needs it afterwards", async () => {
    const guarded = instance({ SETUP_TOKEN });
    const first = await ask(guarded, ELSEWHERE, { setup_token: SETUP_TOKEN }).expect(201);
    expect(first.body.user.is_operator).toBe(true);
    const needs = await ask(guarded, ELSEWHERE).expect(200);
    expect(needs.body).toEqual({ needs_invitation: false, needs_setup_token: false });
    for (const fields of [{}, { setup_token: SETUP_TOKEN }]) {
      const later = await ask(guarded, ELSEWHERE, fields).expect(201);
      expect(later.body.user.is_operator).toBe(false);
    }
  });
});

describe("signing up by invitation only", () => {
  it("is refused to everybody else once there is an operator", async () => {
    const open = openBrowser(instance().app);
    const { email, password } = open;
    await open.post("/auth/sign-up", { name: "Ada", email, password }).expect(201);
    const { token } = (await open.post("/invitations", { role: "viewer" }).expect(201)).body;
    const invited = instance({ SIGN_UP: "invited" });
    const needs = await ask(invited, "127.0.0.1").expect(200);
    expect(needs.body).toEqual({ needs_invitation: true, needs_setup_token: false });
    const answer = await ask(invited, "127.0.0.1", {}).expect(403);
    expect(answer.body).toEqual({
      detail: "New users join by invitation only: ask an owner of an account for one.",
    });
    await ask(invited, ELSEWHERE, { invitation_token: `${token}0` }).expect(404);
    const joined = await ask(invited, ELSEWHERE, { invitation_token: token }).expect(201);
    expect(joined.body.role).toBe("viewer");
  });

  it("admits one of several that use an invitation at the same time, and keeps no other user", async () => {
    const owner = openBrowser(instance().app);
    const { email, password } = owner;
    await owner.post("/auth/sign-up", { name: "Ada", email, password }).expect(201);
    const { token } = (await owner.post("/invitations", { role: "viewer" }).expect(201)).body;
    const invited = instance({ SIGN_UP: "invited" });
    const before = await invited.database.user.count();
    const answers = await Promise.all(
      [1, 2, 3].map(() => ask(invited, ELSEWHERE, { invitation_token: token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
    expect(await invited.database.user.count()).toBe(before + 1);
  });
});

it.each(["users", "user_credentials", "user_sessions"])(
  "is answered 503 while Postgres cannot write %s, and can be repeated",
  async (table) => {
    const { app, database: postgres } = instance();
    const fields = { email: `${newId("usr")}@example.com` };
    await postgres.$executeRawUnsafe(`
      CREATE FUNCTION have_no_room() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$`);
    try {
      await postgres.$executeRawUnsafe(
        `CREATE TRIGGER no_room BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION have_no_room()`,
      );
      await ask({ app }, HERE, fields).expect(503).expect("Retry-After", "1");
    } finally {
      await postgres.$executeRaw`DROP FUNCTION have_no_room CASCADE`;
    }
    await ask({ app }, HERE, fields).expect(201);
  },
);
