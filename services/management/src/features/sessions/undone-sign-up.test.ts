import { inTransaction } from "@diegetic/database";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Management } from "../../management.ts";
import { openBrowser } from "../../testing/browser.ts";
import { createInstance } from "../../testing/harness.ts";
import { createDemo } from "../demo/demo.ts";
import { createDemoLogin } from "../demo/login.ts";

let database: TestDatabase;
let redis: TestRedis;
let management: Management;
beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const secrets = { databaseUrl: database.url, redisUrl: redis.url };
  management = createInstance(secrets, undefined, undefined, { environment: { SIGN_UP: "invited" } });
  await management.start();
  await forgetLostLeases(redis.url);
});
afterAll(async () => {
  await management.stop();
  await redis.stop();
  await database.drop();
});

it("leaves the operator, who can sign in, when the first sign-up loses its invitation", async () => {
  const { accountId } = await createDemo(management.database, "s".repeat(32), Date.now());
  const login = await createDemoLogin(management.database, accountId, "s".repeat(32));
  const demo = openBrowser(management.app);
  await demo.post("/auth/sign-in", login).expect(200);
  const { id, token } = (await demo.post("/invitations", { role: "owner" }).expect(201)).body;
  const first = openBrowser(management.app);
  const { email, password } = first;
  const signUp = { name: "Ada", email, password, invitation_token: token };
  const answer = await inTransaction(management.database, async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
    const answered = first.post("/auth/sign-up", signUp).then((response) => response);
    await eventually(() => management.database.user.findUnique({ where: { email } }));
    await transaction.accountInvitation.update({ where: { id }, data: { closedAt: new Date() } });
    return { answered };
  });
  expect((await answer.answered).status).toBe(404);
  const session = await first.post("/auth/sign-in", { email, password }).expect(200);
  expect(session.body).toMatchObject({ role: "owner", user: { is_operator: true } });
});
