import { apiKeyOperations, dashboardOperations, newId, type Operation } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BASE, type Call, isPlainError, type Platform, startPlatform } from "./platform.fixture.ts";

async function createDelivery(
  platform: Platform,
  key: string,
): Promise<{ webhook_id: string; delivery_id: string }> {
  const body = { url: "https://127.0.0.1:1/", events: ["balance.low"] };
  const post = (path: string, status: number) =>
    platform.expect(status, { method: "POST", path: BASE + path, key, body });
  const { id: webhook_id } = await post("/webhooks", 201);
  const { id: delivery_id } = await post(`/webhooks/${webhook_id}/test`, 200);
  return { webhook_id, delivery_id };
}

interface SignedIn {
  headers: Record<string, string>;
  email: string;
  userId: string;
  sessionId: string;
  accountId: string;
}

async function signUp(platform: Platform): Promise<SignedIn> {
  const email = `${newId("usr")}@studio.example`;
  const own = { "Sec-Fetch-Site": "same-origin" };
  const reply = await platform.call({
    method: "POST",
    path: `${BASE}/auth/sign-up`,
    headers: own,
    body: { name: email, email, password: "a password of tests" },
  });
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  const headers = { ...own, Cookie: String(reply.headers["set-cookie"]).split(";", 1)[0] ?? "" };
  const { session_id: sessionId, user, account } = reply.body;
  return { headers, email, userId: user.id, sessionId, accountId: account.id };
}

/** The headers of somebody who has just signed up, with an account of their own that advertises. */
async function signUpToAdvertise(platform: Platform): Promise<Record<string, string>> {
  const { headers, email } = await signUp(platform);
  const body = { company_name: "Soot", contact_email: email };
  await platform.expect(201, { method: "POST", path: `${BASE}/register`, headers, body });
  return headers;
}

type Credentials = Pick<Call, "key" | "headers">;

const STRANGERS: ["an API key" | "a session", (platform: Platform) => Promise<Credentials>][] = [
  ["an API key", async (platform) => ({ key: (await platform.advertiser()).key })],
  ["a session", async (platform) => ({ headers: await signUpToAdvertise(platform) })],
];

/** Operations that do not reveal to a session whether users, their sessions and accounts exist. */
const HIDING = new Set(["updateMember", "removeMember", "endSession", "updateSession"]);
/** Operations that only the operator's session may call. */
const OF_OPERATOR = new Set(["getSystem", "listQuarantine", "listAccounts"]);
/** Names in bodies for what callers choose themselves: players, their sessions, and words of a game. */
const CHOSEN_BY_CALLERS = new Set(["user_id", "session_id", "theme_id", "creator_id"]);

const operations = [...apiKeyOperations(), ...dashboardOperations()];
const named = (all: readonly Operation[]) =>
  all.map((operation) => [operation.operationId, operation] as const);

/** Names of resources in an operation's body. */
function namesInBody({ request }: Operation): string[] {
  const { properties = {} } = (request?.schema ?? {}) as { properties?: object };
  return Object.keys(properties).filter((name) => name.endsWith("_id") && !CHOSEN_BY_CALLERS.has(name));
}

/** Names of resources in an operation's query. */
function namesInQuery({ query = [] }: Operation): string[] {
  return query.map(({ name }) => name).filter((name) => name.endsWith("_id"));
}

const hasPath = ({ path }: Operation) => path.includes("{");

describe.each(STRANGERS)("another account's resources, requested by %s", (kind, arrive) => {
  let platform: Platform;
  let credentials: Credentials;
  let owner: SignedIn;
  let secrets: string[];
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    platform = await startPlatform({ WEBHOOK_ADDRESSES: "any" });
    // The first user of the installation is its operator: neither owner nor stranger.
    await signUp(platform);
    const advertiser = await platform.advertiser();
    await platform.enableGame(advertiser.key, "castle");
    owner = await signUp(platform);
    credentials = await arrive(platform);
    const impressionId = newId("imp");
    await platform.management.database.quarantinedImpression.create({
      data: { impressionId, advertiserId: advertiser.advertiserId, record: "{}", reason: "no campaign" },
    });
    const invitation = await platform.expect(201, {
      method: "POST",
      path: `${BASE}/invitations`,
      headers: owner.headers,
      body: { role: "owner" },
    });
    Object.assign(ids, {
      account_id: owner.accountId,
      advertiser_id: advertiser.advertiserId,
      campaign_id: advertiser.campaignId,
      creative_id: advertiser.creativeId,
      key_id: advertiser.keyId,
      ...(await createDelivery(platform, advertiser.key)),
      game_id: "castle",
      geo_target_id: "geo_01jd0000000000000000000000",
      blocklist_rule_id: "blk_01jd0000000000000000000000",
      affinity_id: "aff_01jd0000000000000000000000",
      match_id: (await platform.match(advertiser.key, "castle")).match_id,
      impression_id: impressionId,
      invitation_id: invitation.id,
      user_id: owner.userId,
      session_id: owner.sessionId,
    });
    secrets = [advertiser.advertiserId, advertiser.accountId, advertiser.email, owner.accountId, owner.email];
  });
  afterAll(() => platform.stop());

  /** Throws for a name without a case: nothing would be tested. */
  function idOf(name: string): string {
    const id = ids[name];
    if (id === undefined) throw new Error(`no ${name} of another account: create one above`);
    return id;
  }

  function call({ method, path }: Operation, body?: unknown, query = "") {
    const named = path.replace(/\{([a-z_]+)\}/g, (_braces, name: string) => idOf(name));
    return platform.call({ method, path: BASE + named + query, body, ...credentials });
  }

  const refused = ({ operationId }: Operation) =>
    kind === "a session" && HIDING.has(operationId) ? 404 : 403;

  it.each(named(operations.filter(hasPath)))("%s is refused, whatever the body", async (_id, operation) => {
    for (const body of operation.request ? [operation.request.example, {}, "no JSON"] : [undefined]) {
      const reply = await call(operation, body);
      expect([reply.status, isPlainError(reply)]).toEqual([refused(operation), true]);
      for (const secret of secrets) expect(reply.text).not.toContain(secret);
    }
  });

  const withBody = operations.filter((operation) => !hasPath(operation) && namesInBody(operation).length > 0);

  it.each(named(withBody))("%s is refused for what its body names", async (_id, operation) => {
    const names = namesInBody(operation).map((name) => [name, idOf(name)]);
    const reply = await call(operation, {
      ...(operation.request?.example as object),
      ...Object.fromEntries(names),
    });
    expect([reply.status, isPlainError(reply)]).toEqual([refused(operation), true]);
  });

  const withQuery = operations.flatMap((operation) =>
    namesInQuery(operation).map((name) => [operation.operationId, name, operation] as const),
  );

  it.each(withQuery)("%s tells nothing about its %s", async (_id, name, operation) => {
    const id = idOf(name);
    const unknown = id.includes("_01") ? id.replace(/.{6}$/, "000000") : `${id}-of-nobody`;
    const reply = await call(operation, undefined, `?${name}=${id}`);
    if (reply.status === 403) return expect(isPlainError(reply)).toBe(true);
    const ofUnknown = await call(operation, undefined, `?${name}=${unknown}`);
    expect([reply.status, reply.text.replaceAll(id, unknown)]).toEqual([ofUnknown.status, ofUnknown.text]);
  });

  it("are in none of the lists", async () => {
    const lists = operations.filter(({ method, path, callers }) => {
      return method === "GET" && !path.includes("{") && callers !== "anyone";
    });
    for (const operation of lists) {
      const { operationId, path, callers } = operation;
      const isRefused = kind === "a session" ? OF_OPERATOR.has(operationId) : callers === "session";
      const reply = await call(operation);
      expect([path, reply.status]).toEqual([path, isRefused ? 403 : 200]);
      for (const id of [...secrets, ...Object.values(ids)]) expect(reply.text).not.toContain(id);
    }
  });

  it("are all still there", async () => {
    const read = (path: string) =>
      platform.expect(200, { method: "GET", path: BASE + path, headers: owner.headers });
    expect(await read("/session")).toMatchObject({ session_id: owner.sessionId, role: "owner" });
    expect(await read("/members")).toMatchObject([{ user_id: owner.userId, role: "owner" }]);
    expect(await read("/invitations")).toMatchObject([{ id: ids.invitation_id }]);
    const { database } = platform.management;
    expect(await database.quarantinedImpression.findMany()).toMatchObject([{ resolvedAt: null }]);
  });
});
