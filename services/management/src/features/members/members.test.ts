import { entityName, newId } from "@diegetic/contracts";
import { inTransaction } from "@diegetic/database";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { snapshotKeys } from "../../../../../packages/hot-state/src/keys.ts";
import { sha256Hex } from "../../core/shared/sha256.ts";
import { type Browser, openBrowser, signedUp } from "../../testing/browser.ts";
import { type Harness, startHarness } from "../../testing/harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

interface Invited {
  id: string;
  token: string;
}

async function invite(owner: Browser, role = "manager"): Promise<Invited> {
  return (await owner.post("/invitations", { role, note: "Bo" }).expect(201)).body;
}

const session = async (browser: Browser) => (await browser.get("/session").expect(200)).body;
const userId = async (browser: Browser): Promise<string> => (await session(browser)).user.id;

/** A browser whose user has signed up by an invitation of the owner. */
async function invited(owner: Browser, role: string): Promise<Browser> {
  const { token } = await invite(owner, role);
  return signedUp(harness, { name: "Bo" }, { invitation_token: token });
}

describe("an invitation", () => {
  it("shows its token once, in a link that reaches no server", async () => {
    const owner = await signedUp(harness);
    const { id, token, ...invitation } = (await owner.post("/invitations", { role: "viewer" }).expect(201))
      .body;
    expect(invitation).toMatchObject({ role: "viewer", note: null, link_path: `/join#${token}` });
    const list = await owner.get("/invitations").expect(200);
    expect(list.body.map((one: Invited) => one.id)).toEqual([id]);
    expect(list.text).not.toContain(token);
    const stored = await harness.management.database.accountInvitation.findUniqueOrThrow({ where: { id } });
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it("is made once per Idempotency-Key", async () => {
    const owner = await signedUp(harness);
    const send = (role: string) => owner.post("/invitations", { role }).set("Idempotency-Key", "once");
    const first = await send("viewer").expect(201);
    const again = await send("viewer").expect(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers).toHaveProperty("idempotency-replayed", "true");
    await send("manager").expect(409);
    expect((await owner.get("/invitations").expect(200)).body).toHaveLength(1);
    await owner.post("/auth/invitation", { token: first.body.token }).expect(200);
  });

  it("stores no token, and says so where it cannot derive the token of a retry", async () => {
    const owner = await signedUp(harness);
    const send = () => owner.post("/invitations", { role: "viewer" }).set("Idempotency-Key", "stored");
    const { token } = (await send().expect(201)).body;
    const { database } = harness.management;
    expect(JSON.stringify(await database.idempotencyKey.findMany())).not.toContain(token.slice(4));
    await database.$executeRaw`
      UPDATE idempotency_keys SET response = jsonb_set(response::jsonb, '{seed}', '"of another secret"')
      WHERE key = 'stored'`;
    expect((await send().expect(409)).body.detail).toContain("cannot be shown again");
  });

  it("describes its offer to anyone with the link", async () => {
    const owner = await signedUp(harness, {}, { account_label: "Ember" });
    const { token } = await invite(owner);
    const answer = await openBrowser(harness.management.app).post("/auth/invitation", { token }).expect(200);
    expect(answer.body).toMatchObject({ account_label: "Ember", role: "manager" });
    await owner.post("/auth/invitation", { token: `${token}0` }).expect(404);
  });

  it("is accepted by signing up: no other account is made", async () => {
    const owner = await signedUp(harness, {}, { account_label: "Ember" });
    const guest = await invited(owner, "manager");
    expect(await session(guest)).toMatchObject({
      account: { label: "Ember" },
      role: "manager",
      accounts: [{ label: "Ember", role: "manager" }],
    });
    const members = await guest.get("/members").expect(200);
    expect(members.body.map(({ role }: { role: string }) => role)).toEqual(["owner", "manager"]);
  });

  it("is accepted by a signed-in user, who can return to their own account", async () => {
    const owner = await signedUp(harness, {}, { account_label: "Ember" });
    const guest = await signedUp(harness, {}, { account_label: "Guest" });
    const { token } = await invite(owner);
    const joined = await guest.post("/invitations/accept", { token }).expect(200);
    expect(joined.body).toMatchObject({ account: { label: "Ember" }, role: "manager" });
    const [own] = joined.body.accounts;
    const back = await guest.patch("/session", { account_id: own.id }).expect(200);
    expect(back.body).toMatchObject({ account: { label: "Guest" }, role: "owner" });
    await guest.patch("/session", { account_id: (await harness.caller()).accountId }).expect(404);
  });

  it("is used once, also when two accept at the same moment", async () => {
    const owner = await signedUp(harness);
    const { token } = await invite(owner);
    const guests = [await signedUp(harness), await signedUp(harness), await signedUp(harness)];
    const answers = await Promise.all(guests.map((guest) => guest.post("/invitations/accept", { token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    await owner.post("/auth/invitation", { token }).expect(404);
  });

  it("is refused to members, and stays open", async () => {
    const owner = await signedUp(harness);
    const { token } = await invite(owner);
    await owner.post("/invitations/accept", { token }).expect(409);
    await owner.post("/auth/invitation", { token }).expect(200);
  });

  it("ends when it is withdrawn, and by the owner's account alone", async () => {
    const owner = await signedUp(harness);
    const { id, token } = await invite(owner);
    const stranger = await signedUp(harness);
    await stranger.delete(`/invitations/${id}`).expect(403);
    await owner.delete(`/invitations/${id}`).expect(204);
    await owner.delete(`/invitations/${id}`).expect(204);
    const body = { name: "Bo", email: stranger.email, password: "a long password", invitation_token: token };
    await openBrowser(harness.management.app).post("/auth/sign-up", body).expect(404);
  });

  it("is forgotten beyond the latest 500 closed ones of the account, unlike open ones", async () => {
    const owner = await signedUp(harness);
    const { id: open } = await invite(owner);
    const accountId = (await session(owner)).account.id;
    const { database } = harness.management;
    const row = { accountId, role: "viewer" as const, createdAt: new Date(), closedAt: new Date() };
    const closed = Array.from({ length: 502 }, () => ({ ...row, id: newId("inv"), expiresAt: new Date() }));
    await database.accountInvitation.createMany({
      data: closed.map((one) => ({ ...one, sha256: sha256Hex(one.id) })),
    });
    const { id: latest } = await invite(owner);
    const left = await database.accountInvitation.findMany({
      where: { accountId },
      orderBy: { id: "asc" },
    });
    const kept = closed.map(({ id }) => id).sort();
    expect(left.map(({ id }) => id)).toEqual([open, ...kept.slice(2), latest]);
  });

  it("ends by itself after a week", async () => {
    const owner = await signedUp(harness);
    const { id, token } = await invite(owner);
    await harness.management.database.accountInvitation.update({
      where: { id },
      data: { expiresAt: new Date() },
    });
    await owner.post("/auth/invitation", { token }).expect(404);
    expect((await owner.get("/invitations").expect(200)).body).toEqual([]);
  });

  it.each(["removed", "demoted"])("of an owner who is %s is withdrawn", async (how) => {
    const owner = await signedUp(harness);
    const other = await invited(owner, "owner");
    const { token } = await invite(other, "owner");
    const { body: session } = await other.get("/session").expect(200);
    const path = `/members/${session.user.id}`;
    if (how === "removed") await owner.delete(path).expect(204);
    else await owner.patch(path, { role: "viewer" }).expect(200);
    await other.post("/invitations/accept", { token }).expect(404);
    expect((await owner.get("/invitations").expect(200)).body).toEqual([]);
  });
});

describe("the limit of members", () => {
  const LIMIT_DETAIL =
    "An account has at most 200 members, open invitations included: an owner has to remove a member or withdraw an invitation first.";

  /** Gives the owner's account more members, up to this number. */
  async function fill(owner: Browser, members: number): Promise<string> {
    const accountId = (await session(owner)).account.id;
    const users = Array.from({ length: members - 1 }, () => newId("usr"));
    const { database } = harness.management;
    await database.user.createMany({
      data: users.map((id) => ({ id, name: "Bo", email: `${id}@example.com` })),
    });
    await database.accountMember.createMany({
      data: users.map((id) => ({ accountId, userId: id, role: "viewer" as const })),
    });
    return accountId;
  }

  it("counts open invitations, and the list has every member", async () => {
    const owner = await signedUp(harness);
    await fill(owner, 198);
    const { id, token } = await invite(owner);
    await invite(owner);
    const refused = await owner.post("/invitations", { role: "viewer" }).expect(422);
    expect(refused.body).toEqual({ detail: LIMIT_DETAIL });
    await signedUp(harness, {}, { invitation_token: token });
    await owner.post("/invitations", { role: "viewer" }).expect(422);
    expect((await owner.get("/members").expect(200)).body).toHaveLength(199);
    await owner.delete(`/invitations/${id}`).expect(204);
    await owner.delete(`/members/${(await owner.get("/members")).body.at(-1).user_id}`).expect(204);
    await owner.post("/invitations", { role: "viewer" }).expect(201);
  });

  it("holds when several invite, or accept, at the same moment", async () => {
    const owner = await signedUp(harness);
    const accountId = await fill(owner, 198);
    const invitations = await Promise.all(
      Array.from({ length: 4 }, () => owner.post("/invitations", { role: "viewer" })),
    );
    expect(invitations.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
    // Invitations of a time without the limit: more than there is room for.
    const userId = newId("usr");
    const { database } = harness.management;
    await database.user.create({ data: { id: userId, name: "Bo", email: `${userId}@example.com` } });
    await database.accountMember.create({ data: { accountId, userId, role: "viewer" } });
    const tokens = invitations.flatMap(({ body }) => body.token ?? []);
    const guests = await Promise.all(tokens.map(() => signedUp(harness)));
    const accepted = await Promise.all(
      guests.map((guest, at) => guest.post("/invitations/accept", { token: tokens[at] })),
    );
    expect(accepted.map(({ status }) => status).sort()).toEqual([200, 422]);
    const signUp = { name: "Bo", email: `${newId("usr")}@example.com`, password: "a long password" };
    const left = tokens[accepted.findIndex(({ status }) => status === 422)];
    const refused = await openBrowser(harness.management.app)
      .post("/auth/sign-up", { ...signUp, invitation_token: left })
      .expect(422);
    expect(refused.body).toEqual({ detail: LIMIT_DETAIL });
    expect((await owner.get("/members").expect(200)).body).toHaveLength(200);
  });
});

describe("API keys of a member who is removed", () => {
  const labels = async (browser: Browser) =>
    (await browser.get("/api-keys").expect(200)).body.map(({ label }: { label: string }) => label);

  it("stay the account's, or are revoked with the ones that they made", async () => {
    const owner = await signedUp(harness);
    await owner.post("/api-keys", { label: "owner's" }).expect(201);
    const other = await invited(owner, "owner");
    const madeBy = await userId(other);
    const made = (await other.post("/api-keys", { label: "first" }).expect(201)).body;
    expect(made.created_by_user_id).toBe(madeBy);
    const key = harness.callerWith("", made.key);
    // What a key makes counts as made by whoever made the key.
    await key.post("/api-keys", { label: "by the first" }).expect(201);
    const { body: old } = await other.post("/api-keys", { label: "rotated" }).expect(201);
    await other.post(`/api-keys/${old.id}/rotate`, {}).expect(201);

    const refused = await owner.delete(`/members/${madeBy}?revoke_keys=yes`).expect(422);
    expect(refused.body).toEqual({ detail: 'revoke_keys must be true or false, but "yes" was sent' });
    await owner.delete(`/members/${madeBy}?revoke_keys=true`).expect(204);
    expect(await labels(owner)).toEqual(["owner's"]);
    await key.get("/api-keys").expect(401);

    const again = await invited(owner, "owner");
    await again.post("/api-keys", { label: "stays" }).expect(201);
    await owner.delete(`/members/${await userId(again)}`).expect(204);
    expect(await labels(owner)).toEqual(["owner's", "stays"]);
  });

  it("are revoked by owners alone", async () => {
    const owner = await signedUp(harness);
    const guest = await invited(owner, "manager");
    await guest.delete(`/members/${await userId(guest)}?revoke_keys=true`).expect(403);
    await owner.get("/members").expect(200);
    await guest.delete(`/members/${await userId(guest)}`).expect(204);
  });
});

describe("members", () => {
  it.each(["viewer", "manager"])("of the role %s change neither members nor keys", async (role) => {
    const owner = await signedUp(harness);
    const guest = await invited(owner, role);
    const ownerId = await userId(owner);
    const refused = `Your role in this account is "${role}", but this needs "owner": ask an owner of the account.`;
    const answers = [
      await guest.post("/invitations", { role: "owner" }),
      await guest.patch(`/members/${ownerId}`, { role: "viewer" }),
      await guest.delete(`/members/${ownerId}`),
      await guest.patch("/account", { label: "Mine" }),
      await guest.post("/api-keys", { label: "mine" }),
    ];
    for (const { status, body } of answers) expect([status, body.detail]).toEqual([403, refused]);
  });

  it("of the role viewer read, simulate and explain, but change nothing", async () => {
    const owner = await signedUp(harness);
    const guest = await invited(owner, "viewer");
    await guest.post("/register", { company_name: "E", contact_email: guest.email }).expect(403);
    await owner.post("/register", { company_name: "E", contact_email: owner.email }).expect(201);
    const campaign = { name: "c", budget_cents: 1_000, cpm_bid_cents: 500 };
    await guest.post("/campaigns", campaign).expect(403);
    const { id } = (await owner.post("/campaigns", campaign).expect(201)).body;
    await guest.get(`/campaigns/${id}`).expect(200);
    const creative = { creative_type: "narrative_hook", brand_name: "E", narrative_hook: "It smells." };
    await owner.post(`/campaigns/${id}/creatives`, creative).expect(201);
    await guest.post(`/campaigns/${id}/simulate`, { mood: "calm", narrative_function: "rest" }).expect(200);
    await guest.post(`/campaigns/${id}/activate`).expect(403);
    await guest.delete(`/campaigns/${id}/affinities/none`).expect(403);
  });

  it("change their role by an owner, and the last owner stays one", async () => {
    const owner = await signedUp(harness);
    const guest = await invited(owner, "viewer");
    const [ownerId, guestId] = [await userId(owner), await userId(guest)];
    await owner.patch(`/members/${ownerId}`, { role: "viewer" }).expect(409);
    await owner.delete(`/members/${ownerId}`).expect(409);
    const renamed = await owner.patch(`/members/${guestId}`, { role: "owner", name: "Other" }).expect(422);
    expect(renamed.body.detail).toBe("name cannot be changed by PATCH: each user changes it by PATCH /user");
    const changed = await owner.patch(`/members/${guestId}`, { role: "owner", user_id: guestId }).expect(200);
    expect(changed.body).toMatchObject({ user_id: guestId, role: "owner" });
    await guest.patch(`/members/${ownerId}`, { role: "viewer" }).expect(200);
    await owner.patch(`/members/${guestId}`, { role: "viewer" }).expect(403);
  });

  it("of two owners who remove each other at once one stays", async () => {
    const owner = await signedUp(harness);
    const guest = await invited(owner, "owner");
    const [ownerId, guestId] = [await userId(owner), await userId(guest)];
    const answers = await Promise.all([
      owner.delete(`/members/${guestId}`),
      guest.delete(`/members/${ownerId}`),
    ]);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  });

  it("who leave or are removed act for another account of theirs, or a new one", async () => {
    const owner = await signedUp(harness, {}, { account_label: "Ember" });
    const guest = await invited(owner, "manager");
    await guest.delete(`/members/${await userId(guest)}`).expect(204);
    expect(await session(guest)).toMatchObject({ role: "owner", accounts: [{ role: "owner" }] });
    expect((await session(guest)).account.label).not.toBe("Ember");
    const other = await signedUp(harness, {}, { account_label: "Other" });
    const { token } = await invite(owner);
    await other.post("/invitations/accept", { token }).expect(200);
    await owner.delete(`/members/${await userId(other)}`).expect(204);
    expect(await session(other)).toMatchObject({ account: { label: "Other" } });
  });

  it("of another account are unknown", async () => {
    const owner = await signedUp(harness);
    const stranger = await signedUp(harness);
    const id = await userId(stranger);
    await owner.patch(`/members/${id}`, { role: "viewer" }).expect(404);
    await owner.delete(`/members/${id}`).expect(404);
  });
});

describe("a session that begins to act for an account while its user loses a role there", () => {
  const begin = {
    "is switched": async (bo: Browser, account_id: string) => {
      const { email, password } = bo;
      const other = openBrowser(harness.management.app, bo);
      await other.post("/auth/sign-in", { email, password }).expect(200);
      const { token } = await invite(await signedUp(harness));
      await other.post("/invitations/accept", { token }).expect(200);
      return () => other.patch("/session", { account_id });
    },
    "signs in": async ({ email, password }: Browser) => {
      const other = openBrowser(harness.management.app);
      return () => other.post("/auth/sign-in", { email, password });
    },
  };
  const lose = {
    "is removed": (owner: Browser, user: string) => owner.delete(`/members/${user}`),
    "becomes a viewer": (owner: Browser, user: string) => owner.patch(`/members/${user}`, { role: "viewer" }),
  };
  const cases = [
    ["is switched", "is removed"],
    ["is switched", "becomes a viewer"],
    ["signs in", "is removed"],
    ["signs in", "becomes a viewer"],
  ] as const;

  it.each(cases)("is published without that role: it %s, its user %s", async (beginning, loss) => {
    const { database } = harness.management;
    const owner = await signedUp(harness);
    const { account } = await session(owner);
    const bo = await invited(owner, "manager");
    const { session_id, user } = await session(bo);
    const start = await begin[beginning](bo, account.id);
    const isWaiting = async (requests: number) => {
      const [row] = await database.$queryRaw<{ waiting: bigint }[]>`
        SELECT count(*) AS waiting FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      return Number(row?.waiting) >= requests;
    };
    let isAnswered = false;
    const [lost, begun] = await inTransaction(database, async (transaction) => {
      // Here the loss waits after it has looked for sessions.
      await transaction.$queryRaw`SELECT id FROM account_sessions WHERE id = ${session_id} FOR UPDATE`;
      const losing = lose[loss](owner, user.id).then(({ status }) => status);
      await eventually(() => isWaiting(1));
      const beginsToAct = start().then(() => {
        isAnswered = true;
      });
      await eventually(async () => isAnswered || (await isWaiting(2)));
      return [{ losing }, { beginsToAct }];
    });
    expect(await lost.losing).toBeLessThan(300);
    await begun.beginsToAct;
    const sessions = await eventually(async () => {
      const rows = await database.accountSession.findMany({ where: { userId: user.id, revokedAt: null } });
      return rows.every(({ version, publishedVersion }) => version === publishedVersion) && rows;
    });
    expect(sessions).toHaveLength(2);
    for (const { sha256 } of sessions) {
      const json = await harness.redis.hget(snapshotKeys.entities, entityName.session(sha256));
      const published = JSON.parse(json ?? "null");
      expect(published).toMatchObject({ account_id: expect.any(String), role: expect.any(String) });
      if (published.account_id === account.id) expect(published.role).toBe("viewer");
    }
  });
});

describe("the account and the user", () => {
  it("are renamed", async () => {
    const owner = await signedUp(harness);
    expect((await owner.patch("/account", { label: "Ember" }).expect(200)).body.account.label).toBe("Ember");
    expect((await owner.patch("/user", { name: "Ada E." }).expect(200)).body.user.name).toBe("Ada E.");
  });
});
