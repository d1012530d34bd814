import { apiKeyOperations, dashboardOperations, newId } from "@diegetic/contracts";
import { undocumented } from "@diegetic/testing/documented";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BASE_PATH, type ComposedApi, startComposedApi } from "../composed-api.fixture.ts";

const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
const PLACEMENT = { creator_id: "studio", placement_types: ["narrative_hook"] };

/** More than the API has changes, and more than the requests from other sites, which share a session. */
const MANAGEMENT_LIMIT = 120;

let api: ComposedApi;
beforeAll(async () => {
  const limits = { RATE_LIMIT_SIGN_IN: "unlimited", RATE_LIMIT_MANAGEMENT: String(MANAGEMENT_LIMIT) };
  api = await startComposedApi(limits);
});
afterAll(() => api.stop());

interface Call {
  cookie?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The answer has to be one that the API document allows. */
async function call(method: string, path: string, { cookie, body, headers = OWN_PAGE }: Call = {}) {
  const answer = await api.send({
    method,
    path: BASE_PATH + path,
    headers: {
      ...headers,
      ...(cookie !== undefined && { Cookie: cookie }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([method, path, undocumented(answer)]).toEqual([method, path, undefined]);
  return answer;
}

const PASSWORD = "a password of tests";

async function signedUp(fields: object = {}): Promise<{ cookie: string; userId: string; email: string }> {
  const email = `${newId("usr")}@example.com`;
  const body = { name: "Ada", email, password: PASSWORD, ...fields };
  const answer = await call("POST", "/auth/sign-up", { body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return { cookie: cookieOf(answer), userId: JSON.parse(answer.text).user.id, email };
}

function cookieOf({ headers }: Awaited<ReturnType<typeof call>>): string {
  return headers["set-cookie"]?.split(";", 1)[0] ?? "";
}

/** A match request for a game of the session's account, answered 204 because there is no campaign. */
function matchIn(gameId: string, cookie: string, headers?: Record<string, string>) {
  const body = { game_id: gameId, user_id: "player", game_context: {} };
  return call("POST", "/match", { cookie, body, ...(headers && { headers }) });
}

async function withGame(): Promise<{ cookie: string; gameId: string }> {
  const { cookie } = await signedUp();
  const gameId = newId("acct");
  await call("POST", `/placements/${gameId}`, { cookie, body: PLACEMENT });
  return { cookie, gameId };
}

describe("a session in both tiers", () => {
  /** Of tests that change nothing: a sign-up takes long. */
  let lasting: Awaited<ReturnType<typeof withGame>>;
  beforeAll(async () => {
    lasting = await withGame();
  });

  it("acts for its account, and is refused with the next request once it has ended", async () => {
    const { cookie, gameId } = await withGame();
    expect((await matchIn(gameId, cookie)).status).toBe(204);
    expect((await call("GET", `/placements/${gameId}`, { cookie })).status).toBe(200);
    expect((await call("POST", "/auth/sign-out", { cookie })).status).toBe(204);
    expect((await matchIn(gameId, cookie)).status).toBe(401);
    expect((await call("GET", `/placements/${gameId}`, { cookie })).status).toBe(401);
  });

  it("is none for another account's game", async () => {
    const { gameId } = await withGame();
    const { cookie } = await signedUp();
    expect((await matchIn(gameId, cookie)).status).toBe(403);
  });

  it("has limits of its own, whatever the user's other sessions do", async () => {
    const { cookie, email } = await signedUp();
    const signedIn = await call("POST", "/auth/sign-in", { body: { email, password: PASSWORD } });
    const other = cookieOf(signedIn);
    // A window may end in the middle of them, and each window allows as many.
    const statuses = await Promise.all(
      Array.from({ length: 2 * MANAGEMENT_LIMIT + 1 }, async () => {
        const { status } = await call("GET", "/placements", { cookie });
        return status;
      }),
    );
    expect([...new Set(statuses)].sort()).toEqual([200, 429]);
    expect((await call("GET", "/placements", { cookie: other })).status).toBe(200);
  });

  it("cannot be made up", async () => {
    const { cookie, gameId } = await withGame();
    const [name, value = ""] = cookie.split("=", 2);
    const [token] = decodeURIComponent(value).split(".");
    for (const forged of [
      `${name}=${token}`,
      `${name}=${token}.x`,
      `${name}=`,
      `${name}=%`,
      `${name}=${value}0`,
    ]) {
      expect((await matchIn(gameId, forged)).status).toBe(401);
      expect((await call("GET", "/session", { cookie: forged })).status).toBe(401);
    }
  });

  const FOREIGN: [string, Record<string, string>][] = [
    ["without a word of its origin", {}],
    ["of another site", { "Sec-Fetch-Site": "cross-site" }],
    ["of a subdomain", { "Sec-Fetch-Site": "same-site" }],
    ["typed into the address bar", { "Sec-Fetch-Site": "none" }],
    ["of another origin", { Origin: "https://evil.example" }],
    ["of an opaque origin", { Origin: "null" }],
    ["of another port", { Host: "127.0.0.1:8080", Origin: "http://127.0.0.1:8081" }],
    ["whose headers disagree", { Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" }],
  ];

  it.each(FOREIGN)("changes nothing by a request %s", async (_case, headers) => {
    const { cookie, gameId } = lasting;
    const calls: [string, string, unknown][] = [
      ["POST", `/placements/${gameId}`, PLACEMENT],
      ["PATCH", `/placements/${gameId}`, { max_ads_per_session: 3 }],
      ["DELETE", `/placements/${gameId}`, undefined],
      ["PUT", `/campaigns/${newId("camp")}/affinities/bulk`, []],
      ["POST", "/match", { game_id: gameId, user_id: "player", game_context: {} }],
      ["POST", "/impressions", {}],
      ["POST", "/api-keys", { label: "stolen" }],
      ["POST", "/auth/sign-out", undefined],
    ];
    for (const [method, path, body] of calls) {
      const answer = await call(method, path, { cookie, body, headers });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
      expect(answer.text).toContain("only from the dashboard's own pages");
    }
    const after = await call("GET", `/placements/${gameId}`, { cookie });
    expect(JSON.parse(after.text)).toMatchObject({ is_active: true, max_ads_per_session: 10 });
  });

  it.each(["localhost:8080", "diegetic.localhost", "192.0.2.7:8080", "[2001:db8::7]:8080", "127.0.0.1"])(
    "takes the origin that the request's host names: %s",
    async (host) => {
      const { cookie, gameId } = lasting;
      const headers = { Host: host, Origin: `http://${host}` };
      expect((await matchIn(gameId, cookie, headers)).status).toBe(204);
    },
  );

  // Whoever owns the name can let it lead to this service while a page of theirs is open.
  it.each(["rebound.example:8080", "localhost.example", "127.0.0.1.example", "evil@127.0.0.1", "127.0.0.1/"])(
    "refuses a host that could lead anywhere: %s",
    async (host) => {
      const { cookie, gameId } = lasting;
      const stranger = { name: "Eve", email: `${newId("usr")}@example.com`, password: "a password of tests" };
      const ways: Record<string, string>[] = [
        { Host: host, Origin: `http://${host}` },
        { Host: host, "Sec-Fetch-Site": "same-origin" },
      ];
      for (const headers of ways) {
        expect((await matchIn(gameId, cookie, headers)).status).toBe(403);
        const answer = await call("POST", "/auth/sign-up", { body: stranger, headers });
        expect(answer.status).toBe(403);
        expect((await call("PATCH", "/user", { cookie, body: { name: "Eve" }, headers })).status).toBe(403);
      }
    },
  );

  it("answers 409 to a page that shows another account, in both tiers", async () => {
    const { cookie, gameId } = await withGame();
    const { account } = JSON.parse((await call("GET", "/session", { cookie })).text);
    const showing = (id: string) => ({ ...OWN_PAGE, "Diegetic-Account": id });
    for (const path of ["/session", `/placements/${gameId}`]) {
      expect((await call("GET", path, { cookie, headers: showing(account.id) })).status).toBe(200);
      const refused = await call("GET", path, { cookie, headers: showing(newId("acct")) });
      expect([refused.status, refused.headers["diegetic-account"]]).toEqual([409, account.id]);
      expect(refused.text).toContain("reload the page");
    }
    expect((await matchIn(gameId, cookie, showing(account.id))).status).toBe(204);
    expect((await matchIn(gameId, cookie, showing(newId("acct")))).status).toBe(409);
  });
});

describe("roles", () => {
  it("say what a session may do, in both tiers, from the next request on", async () => {
    const owner = await withGame();
    const invited = await call("POST", "/invitations", { cookie: owner.cookie, body: { role: "viewer" } });
    const { token } = JSON.parse(invited.text);
    const { cookie, userId } = await signedUp({ invitation_token: token });
    const statuses = async () => [
      (await call("GET", `/placements/${owner.gameId}`, { cookie })).status,
      (await call("PATCH", `/placements/${owner.gameId}`, { cookie, body: {} })).status,
      (await matchIn(owner.gameId, cookie)).status,
      (await call("POST", "/api-keys", { cookie, body: { label: "k" } })).status,
    ];
    expect(await statuses()).toEqual([200, 403, 403, 403]);
    const promote = (role: string) =>
      call("PATCH", `/members/${userId}`, { cookie: owner.cookie, body: { role } });
    expect((await promote("manager")).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 204, 403]);
    expect((await promote("owner")).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 204, 201]);
    expect((await call("DELETE", `/members/${userId}`, { cookie: owner.cookie })).status).toBe(204);
    expect(await statuses()).toEqual([403, 403, 403, 201]);
  });
});

const pathOf = ({ path }: { path: string }) => path.replace(/\{[a-z_]+\}/g, "none");

describe("a change of the API by a session", () => {
  /** They hold, serve and change nothing. */
  const FOR_VIEWERS = ["simulateCampaign", "explainCampaign"];
  const changes = apiKeyOperations()
    .filter(({ method }) => method !== "GET")
    .map((operation) => [operation.operationId, operation] as const);
  let owner: string;
  let viewer: string;
  beforeAll(async () => {
    ({ cookie: owner } = await signedUp());
    const invited = await call("POST", "/invitations", { cookie: owner, body: { role: "viewer" } });
    const { token } = JSON.parse(invited.text);
    ({ cookie: viewer } = await signedUp({ invitation_token: token }));
  });

  it.each(changes)("%s is refused to other sites", async (_id, operation) => {
    const body = operation.request?.example;
    const headers = { Origin: "https://evil.example" };
    const answer = await call(operation.method, pathOf(operation), { cookie: owner, body, headers });
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("dashboard's own pages")]);
  });

  it.each(changes)("%s is refused to viewers, unless it only shows", async (id, operation) => {
    const body = operation.request?.example;
    const answer = await call(operation.method, pathOf(operation), { cookie: viewer, body });
    const isRefused = answer.text.includes('Your role in this account is \\"viewer\\"');
    expect([answer.status === 403 && isRefused, answer.text]).toEqual([
      !FOR_VIEWERS.includes(id),
      expect.any(String),
    ]);
  });
});

describe("what only signed-in users may do", () => {
  const operations = dashboardOperations().map((operation) => [operation.operationId, operation] as const);
  let cookie: string;
  beforeAll(async () => {
    ({ cookie } = await signedUp());
  });

  it.each(operations)("%s is refused to other sites", async (_id, operation) => {
    if (operation.method === "GET") return;
    const headers = { Origin: "https://evil.example" };
    const answer = await call(operation.method, pathOf(operation), {
      cookie,
      body: operation.request?.example,
      headers,
    });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("only from the dashboard's own pages");
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  const alone = operations.filter(([, { callers }]) => callers === "session");

  it.each(alone)("%s is refused to API keys, and to whoever is not signed in", async (_id, operation) => {
    const key = await api.newKey();
    const body = operation.request?.example;
    const headers = { ...OWN_PAGE, Authorization: `Bearer ${key}` };
    const byKey = await call(operation.method, pathOf(operation), { body, headers });
    expect([byKey.status, byKey.text]).toEqual([
      403,
      JSON.stringify({ detail: "An API key cannot do this: sign in on the dashboard." }),
    ]);
    expect((await call(operation.method, pathOf(operation), { body })).status).toBe(401);
  });
});
