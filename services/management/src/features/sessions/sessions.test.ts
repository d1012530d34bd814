import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import request from "supertest";
import { openBrowser, signedUp } from "../../testing/browser.ts";
import { BASE, campaignBody, type Harness, startHarness } from "../../testing/harness.ts";
import { resetPassword } from "./reset-password.ts";

/** Of a transaction that waits for requests: as long as they need on a busy machine. */
const PATIENT = { timeout: 60_000 };

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

describe("signing up", () => {
  it("makes a user with an account, and signs in", async () => {
    const browser = openBrowser(harness.management.app);
    const { email, password } = browser;
    const answer = await browser
      .post("/auth/sign-up", { name: "Ada", email: email.toUpperCase(), password, account_label: "Ember" })
      .expect(201);
    expect(answer.body).toMatchObject({
      user: { name: "Ada", email },
      account: { label: "Ember" },
      role: "owner",
      accounts: [{ label: "Ember", role: "owner" }],
    });
    expect((await browser.get("/session").expect(200)).body).toEqual(answer.body);
  });

  it("sets a cookie that no script reads and no other site sends", async () => {
    const browser = openBrowser(harness.management.app);
    const { email, password } = browser;
    const answer = await browser.post("/auth/sign-up", { name: "Ada", email, password }).expect(201);
    const [cookie = ""] = answer.headers["set-cookie"] as unknown as string[];
    expect(cookie).toMatch(/^diegetic_session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(answer.text).not.toContain(decodeURIComponent(browser.cookie).split("=")[1]?.split(".")[0]);
  });

  it("refuses an address that has a user, in any letters", async () => {
    const { email } = await signedUp(harness);
    const other = openBrowser(harness.management.app);
    const body = { name: "Bo", email: email.toUpperCase(), password: other.password };
    const answer = await other.post("/auth/sign-up", body).expect(409);
    expect(answer.body.detail).toMatch(/^email belongs to a user already/);
    expect(other.cookie).toBe("");
  });

  it("lets one of two have an address that both want at once", async () => {
    const browsers = [0, 1, 2].map(() => openBrowser(harness.management.app, { email: "race@example.com" }));
    const answers = await Promise.all(
      browsers.map(({ post, email, password }) => post("/auth/sign-up", { name: "Ada", email, password })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(browsers.filter(({ cookie }) => cookie !== "")).toHaveLength(1);
  });

  it.each([
    ["no name", { name: undefined }, 400],
    ["no address", { email: "nobody" }, 400],
    ["a short password", { password: "short" }, 422],
    ["a long password", { password: "p".repeat(129) }, 422],
  ])("refuses %s, and quotes nothing of it", async (_case, fields, status) => {
    const browser = openBrowser(harness.management.app);
    const { email, password } = browser;
    const body = { name: "Ada", email, password, ...fields };
    const answer = await browser.post("/auth/sign-up", body).expect(status);
    expect(answer.text).not.toMatch(/short"|nobody|ppp/);
  });

  it("takes a password of 128 characters, whatever they are", async () => {
    const [password, another] = ["\u{1f47e}", "\u{1f409}"].map((one) => one.repeat(128));
    const browser = await signedUp(harness, { password: password ?? "" });
    const { email } = browser;
    await browser
      .post("/auth/change-password", { current_password: password, new_password: another })
      .expect(204);
    await browser.post("/auth/sign-in", { email, password: another }).expect(200);
    await browser.post("/auth/sign-in", { email, password }).expect(401);
  });

  it("makes only the first user the operator", async () => {
    const fresh = await startHarness();
    try {
      const browsers = await Promise.all([signedUp(fresh), signedUp(fresh), signedUp(fresh)]);
      const answers = await Promise.all(browsers.map(({ get }) => get("/session").expect(200)));
      const operators = answers.filter(({ body }) => body.user.is_operator);
      expect(operators).toHaveLength(1);
      const later = await signedUp(fresh);
      expect((await later.get("/session").expect(200)).body.user.is_operator).toBe(false);
    } finally {
      await fresh.stop();
    }
  });
});

describe("signing in", () => {
  it("starts a session of its own on each browser", async () => {
    const { email, password } = await signedUp(harness);
    const browser = openBrowser(harness.management.app);
    await browser.post("/auth/sign-in", { email: email.toUpperCase(), password }).expect(200);
    const list = await browser.get("/auth/sessions").expect(200);
    expect(list.body.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
  });

  it("ends the session that the browser had, whoever signs in", async () => {
    const browser = await signedUp(harness);
    const { email, password } = browser;
    const kept = openBrowser(harness.management.app);
    kept.cookie = browser.cookie;
    await browser.post("/auth/sign-in", { email, password: "another password" }).expect(401);
    await kept.get("/session").expect(200);
    await browser.post("/auth/sign-in", { email, password }).expect(200);
    await kept.get("/session").expect(401);
    expect((await browser.get("/auth/sessions").expect(200)).body).toHaveLength(1);
    kept.cookie = browser.cookie;
    const other = openBrowser(harness.management.app);
    const person = { name: "Bo", email: other.email, password: other.password };
    await browser.post("/auth/sign-up", person).expect(201);
    await kept.get("/session").expect(401);
    await browser.get("/session").expect(200);
  });

  it("answers an unknown address like a wrong password", async () => {
    const { email } = await signedUp(harness);
    const browser = openBrowser(harness.management.app);
    const wrong = await browser.post("/auth/sign-in", { email, password: "not this one" }).expect(401);
    const unknown = await browser
      .post("/auth/sign-in", { email: "nobody@example.com", password: "not this one" })
      .expect(401);
    expect(wrong.body).toEqual({ detail: "E-mail address or password is wrong." });
    expect(unknown.body).toEqual(wrong.body);
    expect(browser.cookie).toBe("");
  });
});

describe("a session", () => {
  it("acts for its account like a key", async () => {
    const browser = await signedUp(harness);
    const email = browser.email;
    await browser.post("/register", { company_name: "Ember", contact_email: email }).expect(201);
    await browser.post("/deposit", { amount_cents: 5_000 }).expect(200);
    const { body } = await browser.post("/campaigns", campaignBody).expect(201);
    expect((await browser.get("/campaigns").expect(200)).body[0].id).toBe(body.id);
    const other = await signedUp(harness);
    await other.post("/register", { company_name: "Other", contact_email: other.email }).expect(201);
    await other.get(`/campaigns/${body.id}`).expect(403);
  });

  it("creates, rotates and revokes API keys of its account", async () => {
    const browser = await signedUp(harness);
    const made = await browser.post("/api-keys", { label: "game", scopes: ["serving"] }).expect(201);
    const rotated = await browser.post(`/api-keys/${made.body.id}/rotate`, {}).expect(201);
    await browser.delete(`/api-keys/${rotated.body.id}`).expect(204);
    expect((await browser.get("/api-keys").expect(200)).body).toHaveLength(1);
  });

  it("is ended by signing out, also for a kept cookie", async () => {
    const browser = await signedUp(harness);
    const kept = browser.cookie;
    await browser.post("/auth/sign-out").expect(204);
    expect(browser.cookie).toBe("");
    browser.cookie = kept;
    const answer = await browser.get("/session").expect(401);
    expect(answer.body).toEqual({ detail: "The session has ended: sign in again." });
    await browser.post("/auth/sign-out").expect(204);
  });

  it("is ended from another browser of the user, and from no other user's", async () => {
    const browser = await signedUp(harness);
    const other = openBrowser(harness.management.app, browser);
    await other.post("/auth/sign-in", { email: browser.email, password: browser.password }).expect(200);
    const { session_id } = (await browser.get("/session").expect(200)).body;
    const stranger = await signedUp(harness);
    await stranger.delete(`/auth/sessions/${session_id}`).expect(404);
    await browser.get("/session").expect(200);
    await other.delete(`/auth/sessions/${session_id}`).expect(204);
    await browser.get("/session").expect(401);
    await other.get("/session").expect(200);
  });

  it("ends with all others of the user by one call", async () => {
    const browser = await signedUp(harness);
    const other = openBrowser(harness.management.app, browser);
    await other.post("/auth/sign-in", { email: browser.email, password: browser.password }).expect(200);
    await other.post("/auth/end-other-sessions").expect(204);
    await browser.get("/session").expect(401);
    await other.get("/session").expect(200);
  });

  it("is replaced when the password changes, and all others end", async () => {
    const browser = await signedUp(harness);
    const other = openBrowser(harness.management.app, browser);
    const { email, password } = browser;
    await other.post("/auth/sign-in", { email, password }).expect(200);
    const kept = browser.cookie;
    const wrong = { current_password: "not this one", new_password: "a new password" };
    await browser.post("/auth/change-password", wrong).expect(403);
    const right = { current_password: password, new_password: "a new password" };
    await browser.post("/auth/change-password", right).expect(204);
    expect(browser.cookie).not.toBe(kept);
    await browser.get("/session").expect(200);
    await other.get("/session").expect(401);
    await other.post("/auth/sign-in", { email, password }).expect(401);
    await other.post("/auth/sign-in", { email, password: "a new password" }).expect(200);
  });

  it.each(["FOR NO KEY UPDATE", "FOR UPDATE"])(
    "of a sign-in that a change of the password overtakes does not outlive the old password (%s)",
    async (lock) => {
      const { database } = harness.management;
      const browser = await signedUp(harness);
      const { email, password } = browser;
      const other = openBrowser(harness.management.app);
      const blocked = async () => {
        const [row] = await database.$queryRaw<{ count: bigint }[]>`
          SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return Number(row?.count);
      };
      let isChanged = false;
      let requests: Promise<unknown>[] = [];
      await database.$transaction(async (transaction) => {
        // The sign-in stops here: after the password was checked, before its session is admitted.
        await transaction.$queryRawUnsafe(`SELECT id FROM users WHERE email = $1 ${lock}`, email);
        requests = [other.post("/auth/sign-in", { email, password }).then(() => {})];
        await eventually(async () => (await blocked()) === 1);
        const change = { current_password: password, new_password: "a new password" };
        requests.push(
          browser
            .post("/auth/change-password", change)
            .expect(204)
            .then(() => {
              isChanged = true;
            }),
        );
        await eventually(async () => isChanged || (await blocked()) === 2);
      }, PATIENT);
      await Promise.all(requests);
      await browser.get("/session").expect(200);
      await other.get("/session").expect(401);
      await other.post("/auth/sign-in", { email, password: "a new password" }).expect(200);
    },
  );

  it("ends when an operator resets the password, and only the new one signs in", async () => {
    const browser = await signedUp(harness);
    const { email, password } = browser;
    const { database } = harness.management;
    expect(await resetPassword(database, "nobody@example.com")).toBeUndefined();
    const renewed = await resetPassword(database, email.toUpperCase());
    await browser.get("/session").expect(401);
    const other = openBrowser(harness.management.app, { email });
    await other.post("/auth/sign-in", { email, password }).expect(401);
    await other.post("/auth/sign-in", { email, password: renewed }).expect(200);
    await other.get("/session").expect(200);
    await database.userCredential.deleteMany({ where: { user: { email } } });
    expect(await resetPassword(database, email)).toBeUndefined();
  });

  it("is ignored beside an Authorization header", async () => {
    const browser = await signedUp(harness);
    const caller = await harness.caller();
    const ask = (authorization: string) =>
      request(harness.management.app)
        .get(`${BASE}/api-keys`)
        .set({ Cookie: browser.cookie, Authorization: authorization });
    expect((await ask(`Bearer ${caller.key}`).expect(200)).body).toHaveLength(1);
    await ask("Bearer igk_unknown").expect(401);
    await ask("").expect(401);
  });
});
