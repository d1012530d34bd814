import { eventually } from "@diegetic/testing/eventually";
import { afterEach, describe, expect, it } from "@jest/globals";
import { DiegeticClient, type DiegeticClientOptions } from "./client.ts";
import type { ClientEvent } from "./events.ts";
import { FileOutbox } from "./outbox/file-outbox.ts";
import { MemoryOutbox } from "./outbox/memory-outbox.ts";
import type { Outbox, OutboxEntry } from "./outbox/outbox.ts";
import type { TransportRequest } from "./transport.ts";

const BASE_URL = "http://diegetic.test/api";
const SCENE = { game_id: "game", user_id: "player", game_context: {} };
const MATCH = { match_id: "mat_1", campaign_id: "camp_1", creative_id: "crt_1", game_id: "game" };

describe("DiegeticClient", () => {
  const clients: DiegeticClient[] = [];
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close({ timeoutMs: 0 }))));

  const create = (options: Partial<DiegeticClientOptions>) => {
    const events: ClientEvent[] = [];
    const onEvent = (event: ClientEvent) => {
      events.push(event);
    };
    const client = new DiegeticClient({ baseUrl: BASE_URL, apiKey: "key", onEvent, ...options });
    clients.push(client);
    return { client, events };
  };

  /** Answers the requests in turn, the last answer again and again. */
  const scripted = (...answers: [status: number, body?: unknown, headers?: Record<string, string>][]) => {
    const requests: (TransportRequest & { url: string })[] = [];
    const transport: DiegeticClientOptions["fetch"] = async (url, request) => {
      requests.push({ url, ...request });
      const [status, body, headers = {}] = answers[Math.min(requests.length, answers.length) - 1] ?? [500];
      return {
        status,
        headers: { get: (name) => headers[name.toLowerCase()] ?? null },
        text: async () => (body === undefined ? "" : JSON.stringify(body)),
      };
    };
    return { transport, requests };
  };

  it("keeps the budget of a scene with a transport that ignores the signal", async () => {
    const { client, events } = create({ matchBudgetMs: 20, fetch: () => new Promise(() => undefined) });
    expect(await client.match(SCENE)).toBeNull();
    expect(events).toEqual([
      {
        type: "match_failed",
        status: undefined,
        detail: `No answer from ${BASE_URL}/match: timeout after 20 ms`,
      },
    ]);
  });

  it("waits as long as the largest budget allows", async () => {
    const answer = () => new Promise((resolve) => setTimeout(resolve, 20));
    const fetch: DiegeticClientOptions["fetch"] = async () => {
      await answer();
      return { status: 200, headers: { get: () => null }, text: async () => JSON.stringify(MATCH) };
    };
    const { client } = create({ matchBudgetMs: 3_000_000_000, fetch });
    expect(await client.match(SCENE)).toMatchObject(MATCH);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("listener");
      },
    ],
    ["rejects", () => Promise.reject(new Error("listener"))],
  ])("answers null for a transport that throws, and survives a listener that %s", async (_how, onEvent) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { client } = create({
      fetch: () => {
        throw new Error("no network");
      },
      onEvent,
    });
    expect(await client.match(SCENE)).toBeNull();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  it("refuses a large answer of a transport without a stream, too", async () => {
    const { transport } = scripted([200, { match_id: "mat_1", tagline: "x".repeat(1_024 * 1_024) }]);
    const { client, events } = create({ fetch: transport });
    expect(await client.match(SCENE)).toBeNull();
    expect(events).toEqual([
      {
        type: "match_failed",
        status: undefined,
        detail: `No answer from ${BASE_URL}/match: the answer is larger than 1048576 bytes`,
      },
    ]);
  });

  it("names the address that it cannot connect to, and why", async () => {
    const { client, events } = create({ baseUrl: "http://127.0.0.1:1/api" });
    await client.match(SCENE);
    expect(events).toEqual([
      expect.objectContaining({
        detail: expect.stringMatching(
          /^No answer from http:\/\/127\.0\.0\.1:1\/api\/match: fetch failed: .+/,
        ),
      }),
    ]);
  });

  it("aborts running impressions when it is closed", async () => {
    const aborted: boolean[] = [];
    const { client } = create({
      fetch: (_url, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted.push(true);
            reject(signal.reason);
          });
        }),
    });
    client.recordImpression(MATCH);
    expect(await client.close({ timeoutMs: 1 })).toBe(1);
    expect(aborted).toEqual([true]);
  });

  it("waits for an impression as long as it is told to", async () => {
    const { transport } = scripted([503], [201, { impression_id: "imp_1", charged_cents: 1 }]);
    const { client } = create({ fetch: transport });
    client.recordImpression(MATCH);
    expect(await client.flush({ timeoutMs: Number.POSITIVE_INFINITY })).toBe(0);
  });

  it("counts what is recorded before it is closed", async () => {
    class Interleaved extends DiegeticClient {
      override async flush(options: { timeoutMs?: number }): Promise<number> {
        const pending = await super.flush(options);
        this.recordImpression(MATCH);
        return pending;
      }
    }
    const client = new Interleaved({
      baseUrl: BASE_URL,
      apiKey: "key",
      fetch: () => new Promise(() => undefined),
    });
    expect(await client.close()).toBe(1);
  });

  it("ends a flush when it is closed", async () => {
    const { client } = create({ fetch: () => new Promise(() => undefined) });
    client.recordImpression(MATCH);
    const flushed = client.flush({ timeoutMs: 3_600_000 });
    await client.close({ timeoutMs: 1 });
    expect(await flushed).toBe(1);
  });

  it("puts the game of the scene into the match", async () => {
    const { transport } = scripted([200, { match_id: "mat_1" }]);
    expect(await create({ fetch: transport }).client.match(SCENE)).toMatchObject({
      match_id: "mat_1",
      game_id: "game",
    });
  });

  it("keeps a pause when the clock of the machine is set", async () => {
    const { transport, requests } = scripted([429, undefined, { "retry-after": "3600" }]);
    const { client } = create({ fetch: transport });
    client.recordImpression(MATCH);
    await client.flush({ timeoutMs: 20 });
    const now = Date.now;
    Date.now = () => now() + 2 * 3_600_000;
    try {
      client.recordImpression({ ...MATCH, match_id: "mat_2" });
      await client.flush({ timeoutMs: 20 });
    } finally {
      Date.now = now;
    }
    expect(requests).toHaveLength(1);
  });

  it("delivers what was recorded before the clock of the machine was set", async () => {
    const { transport } = scripted([503], [201, { impression_id: "imp_1", charged_cents: 1 }]);
    const { client, events } = create({ fetch: transport });
    const now = Date.now;
    Date.now = () => now() - 40 * 24 * 3_600_000;
    try {
      client.recordImpression(MATCH);
    } finally {
      Date.now = now;
    }
    expect(await client.flush()).toBe(0);
    expect(events.at(-1)).toMatchObject({ type: "impression_recorded", attempts: 2 });
  });

  it("retries after an answer that cannot be read", async () => {
    const headers = {
      get: () => {
        throw new Error("no headers");
      },
    };
    const { client, events } = create({
      fetch: async () => ({ status: 500, headers, text: async () => "" }),
    });
    client.recordImpression(MATCH);
    await client.flush({ timeoutMs: 20 });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "impression_retrying", detail: "no headers" }),
    );
  });

  it("reads Retry-After as a date, too", async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    const { transport, requests } = scripted([503, undefined, { "retry-after": inAnHour }]);
    const { client, events } = create({ fetch: transport });
    client.recordImpression(MATCH);
    await client.flush({ timeoutMs: 20 });
    expect(requests).toHaveLength(1);
    const [event] = events;
    if (event?.type !== "impression_retrying") throw new Error(`unexpected ${event?.type}`);
    expect(event.delay_ms).toBeGreaterThan(3_500_000);
  });

  it("stops sending for all impressions while the service asks for a pause", async () => {
    const { transport, requests } = scripted([429, undefined, { "retry-after": "3600" }]);
    const { client } = create({ fetch: transport });
    client.recordImpression(MATCH);
    await client.flush({ timeoutMs: 20 });
    for (const id of ["mat_2", "mat_3"])
      expect(client.recordImpression({ ...MATCH, match_id: id })).toBe(true);
    expect(await client.flush({ timeoutMs: 20 })).toBe(3);
    expect(requests).toHaveLength(1);
  });

  it("sends an impression whose outbox cannot be written, and says so", async () => {
    const { transport } = scripted([201, { impression_id: "imp_1", charged_cents: 1 }]);
    const outbox: Outbox = {
      capacity: 10,
      isDurable: true,
      load: async () => {
        throw new Error("disk unreadable");
      },
      add: () => {
        throw new Error("disk full");
      },
      remove: () => undefined,
      close: () => undefined,
    };
    const { client, events } = create({ fetch: transport, outbox });
    expect(client.recordImpression(MATCH)).toBe(true);
    expect(await client.flush()).toBe(0);
    expect(events).toContainEqual({ type: "outbox_failed", detail: "disk unreadable" });
    expect(events).toContainEqual({ type: "outbox_failed", detail: "disk full" });
    expect(events).toContainEqual(expect.objectContaining({ type: "impression_recorded" }));
  });

  it("has at most four impressions on their way at a time", async () => {
    const waiting: (() => void)[] = [];
    const seen: OutboxEntry[] = [];
    const { client } = create({
      fetch: async (_url, request) => {
        seen.push(JSON.parse(request.body ?? "{}"));
        await new Promise<void>((resolve) => waiting.push(resolve));
        const record = { impression_id: "imp", charged_cents: 1 };
        return { status: 201, headers: { get: () => null }, text: async () => JSON.stringify(record) };
      },
    });
    for (let index = 0; index < 10; index += 1)
      client.recordImpression({ ...MATCH, match_id: `mat_${index}` });
    expect(seen).toHaveLength(4);
    while (client.pendingImpressions > 0) {
      expect(waiting.length).toBeLessThanOrEqual(4);
      for (const answer of waiting.splice(0)) answer();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen.map(({ match_id }) => match_id)).toEqual(
      Array.from({ length: 10 }, (_, index) => `mat_${index}`),
    );
  });

  it.each([
    [{ baseUrl: "diegetic.test/api" }, "baseUrl must be an http or https address"],
    [
      { baseUrl: "ftp://user:secret@diegetic.test" },
      /^baseUrl must be an http or https address, such as [^@]*$/,
    ],
    [
      { baseUrl: "http://user:secret@diegetic.test/api" },
      /^baseUrl must have no user name, password, query or fragment$/,
    ],
    [{ baseUrl: "http://diegetic.test/api?a=1" }, "baseUrl must have no user name, password, query"],
    [{ apiKey: "" }, "apiKey is required"],
    [{ apiKey: "igk_1\n" }, "apiKey must be ASCII characters without spaces and line ends"],
    [{ apiKey: "igk_ü" }, "apiKey must be ASCII"],
    [{ matchBudgetMs: 0 }, "matchBudgetMs must be a number above 0, not 0"],
    [{ matchBudgetMs: Number.NaN }, "not NaN"],
    [{ matchBudgetMs: Number.POSITIVE_INFINITY }, "not Infinity"],
  ])("refuses %j", (options, message) => {
    expect(() => create(options)).toThrow(message);
  });

  it.each([0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])("refuses a capacity of %d", (capacity) => {
    const message = `capacity must be a whole number above 0, not ${capacity}`;
    expect(() => new MemoryOutbox({ capacity })).toThrow(message);
    expect(() => new FileOutbox({ path: "/nowhere/impressions.jsonl", capacity })).toThrow(message);
  });

  describe("api", () => {
    it("fills path and query, and answers the body", async () => {
      const { transport, requests } = scripted([200, { campaign_id: "a/b" }]);
      const { client } = create({ baseUrl: `${BASE_URL}/`, fetch: transport });
      expect(await client.api.getDailyAnalytics({ campaign_id: "a/b", days: 7 })).toEqual({
        campaign_id: "a/b",
      });
      expect(requests[0]).toMatchObject({
        method: "GET",
        url: `${BASE_URL}/campaigns/a%2Fb/analytics/daily?days=7`,
        headers: { Authorization: "Bearer key" },
      });
    });

    it("retries within the time it is given, with one idempotency key", async () => {
      const { transport, requests } = scripted([503], [200, { balance_cents: 5 }]);
      const { client } = create({ fetch: transport });
      const deposit = { body: { amount_cents: 5 }, retryForMs: 10_000 };
      expect(await client.api.depositFunds(deposit)).toEqual({ balance_cents: 5 });
      const keys = requests.map(({ headers }) => headers["Idempotency-Key"]);
      expect(keys).toHaveLength(2);
      expect(keys[0]).toBe(keys[1]);
      expect(keys[0]).toMatch(/./);
    });

    it("ends a call that waits for its next attempt when the client is closed", async () => {
      const { transport, requests } = scripted([503, undefined, { "retry-after": "3600" }]);
      const { client } = create({ fetch: transport });
      const call = client.api.getProfile({ retryForMs: 36_000_000 });
      await eventually(() => requests.length === 1);
      await client.close();
      await expect(call).rejects.toMatchObject({ name: "DiegeticError" });
    });

    it("does not repeat a call without a time", async () => {
      const { transport, requests } = scripted([503], [200, {}]);
      const call = create({ fetch: transport }).client.api.getProfile({ retryForMs: Number.NaN });
      await expect(call).rejects.toMatchObject({ status: 503 });
      expect(requests).toHaveLength(1);
    });

    it.each([
      [409, { detail: "Deposit first." }, "activateCampaign: 409 Deposit first."],
      [503, undefined, "activateCampaign: 503 Unexpected answer 503"],
      [200, undefined, "activateCampaign: 200 Unexpected answer 200"],
    ])("rejects with the service's sentence after %d", async (status, body, message) => {
      const { transport, requests } = scripted([status, body]);
      const call = create({ fetch: transport }).client.api.activateCampaign({ campaign_id: "camp_1" });
      await expect(call).rejects.toMatchObject({ name: "DiegeticError", status, message });
      expect(requests).toHaveLength(1);
    });

    it.each([
      ["a lost answer", undefined],
      ["a 503", 503],
    ])("takes a repeated deletion for done that finds nothing after %s", async (_what, status) => {
      const { transport } = scripted([404, { detail: "Creative not found." }]);
      let attempts = 0;
      const { client } = create({
        fetch: async (url, request) => {
          attempts += 1;
          if (attempts > 1) return transport(url, request);
          if (status === undefined) throw new Error("no network");
          return { status, headers: { get: () => null }, text: async () => "" };
        },
      });
      const deletion = client.api.deleteCreative({ creative_id: "crt_1", retryForMs: 10_000 });
      expect(await deletion).toBeUndefined();
      expect(attempts).toBe(2);
    });

    it.each([
      ["the first attempt of a deletion", [] as number[], "deleteCreative" as const],
      ["a deletion whose first attempt was refused", [429], "deleteCreative" as const],
      ["another call", [503], "getPacing" as const],
    ])("rejects when %s finds nothing", async (_what, before, name) => {
      const first = before.map((status): [number] => [status]);
      const { transport } = scripted(...first, [404, { detail: "Not found." }]);
      const { api } = create({ fetch: transport }).client;
      const call = { creative_id: "crt_1", campaign_id: "camp_1", retryForMs: 10_000 };
      await expect(api[name](call)).rejects.toMatchObject({ status: 404 });
    });

    it("rejects without a status when no answer comes", async () => {
      const { client } = create({ fetch: () => Promise.reject(new Error("no network")) });
      await expect(client.api.getProfile()).rejects.toMatchObject({
        status: undefined,
        message: `getProfile: No answer from ${BASE_URL}/profile: no network`,
      });
    });
  });

  describe("pages", () => {
    /** 620 rows in pages of 500 at most, as the service has them: a cursor is the offset of its page. */
    const paged = () => {
      const requests: string[] = [];
      const transport: DiegeticClientOptions["fetch"] = async (address) => {
        requests.push(address);
        const { pathname, searchParams: query } = new URL(address);
        const limit = Number(query.get("limit") ?? 500);
        const offset = Number(query.get("cursor") ?? 0);
        const rows = Array.from({ length: 620 }, (_, row) => ({ row })).slice(offset, offset + limit);
        query.set("limit", String(limit));
        query.set("cursor", String(offset + limit));
        const link = offset + limit < 620 ? `<${pathname}?${query}>; rel="next"` : null;
        return {
          status: 200,
          headers: { get: (name) => (name.toLowerCase() === "link" ? link : null) },
          text: async () => JSON.stringify({ rows }),
        };
      };
      return { transport, requests };
    };

    it("reads every row of a list that is longer than a page", async () => {
      const { transport, requests } = paged();
      const { client } = create({ fetch: transport });
      const rows: unknown[] = [];
      for await (const page of client.pages.getEarnings({ days: 31 })) rows.push(...page.rows);
      expect(rows).toEqual(Array.from({ length: 620 }, (_, row) => ({ row })));
      expect(requests).toEqual([`${BASE_URL}/earnings?days=31`, `${BASE_URL}/earnings?days=31&cursor=500`]);
    });

    it("reads pages of the size that it is given, from the cursor that it is given", async () => {
      const { transport } = paged();
      const { client } = create({ fetch: transport });
      const sizes: number[] = [];
      for await (const { rows } of client.pages.getEarnings({ limit: 200, cursor: "100" }))
        sizes.push(rows.length);
      expect(sizes).toEqual([200, 200, 120]);
      expect((await client.api.getEarnings({ limit: 2, cursor: "7" })).rows).toEqual([
        { row: 7 },
        { row: 8 },
      ]);
    });

    it("ends with an error when a cursor comes twice", async () => {
      const { transport, requests } = scripted([200, [], { link: '</api/placements?cursor=a>; rel="next"' }]);
      const { client } = create({ fetch: transport });
      const read = async () => {
        for await (const _page of client.pages.listPlacements());
      };
      await expect(read()).rejects.toMatchObject({
        name: "DiegeticError",
        message: "listPlacements: 200 The cursor a came twice: the pages do not end",
      });
      expect(requests).toHaveLength(2);
    });
  });
});
