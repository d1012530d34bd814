import {
  MAX_ACCOUNT_BYTES,
  MAX_BODY_LEVELS,
  MAX_CSV_ROWS,
  newId,
  type Operation,
  tooManyImpressions,
} from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { cookieOf, OWN_PAGE } from "./dashboard.ts";
import { bodyOf, type Provocation, type Provocations, withQuery } from "./provocation.ts";
import { type Caller, placementBody, type World, webhookBody } from "./world.fixture.ts";

/** What refuses in the same way wherever it is listed. */
export const commonRefusals: Provocations = {
  "403 scope": async (world, operation) => {
    const needed = [operation.scope].flat();
    const scopes = (["advertiser", "developer", "serving"] as const).filter((one) => !needed.includes(one));
    return world.call(operation, { by: await world.account({ scopes }), body: bodyOf(operation) });
  },

  "409 other_account": async (world, operation) => {
    const headers = { ...OWN_PAGE, Cookie: await cookieOf(world), "Diegetic-Account": newId("acct") };
    return world.call(operation, { headers }).unset("Authorization");
  },

  // What the path names.
  "403 not_registered": by("nobody"),
  "404 not_registered": by("nobody"),
  "403 other_advertiser": by("other"),
  "403 other_account": by("other"),
  "404 no_campaign": naming("campaign_id", () => newId("camp")),
  "404 no_creative": naming("creative_id", () => newId("crt")),
  "404 no_geo_target": naming("geo_target_id", () => newId("geo")),
  "404 no_rule": naming("blocklist_rule_id", () => newId("blk")),
  "404 no_affinity": naming("affinity_id", () => newId("aff")),
  "404 no_key": naming("key_id", () => newId("key")),
  "404 no_webhook": naming("webhook_id", () => newId("whk")),
  "404 no_delivery": naming("delivery_id", () => newId("whd")),
  "404 no_placement": naming("game_id", () => "nobodys-game"),
  "400 bad_encoding": async (world, operation) =>
    world.call({ ...operation, path: operation.path.replace(/\{\w+\}/, "%E0%A4%A") as `/${string}` }),

  // Sizes.
  "422 campaign_too_large": async (world, operation) => {
    const named = await world.campaign(world.owner, {}, "draft");
    await world.api.database.$executeRaw`
      INSERT INTO creatives (id, campaign_id, creative_type, brand_name, alt_hooks)
      SELECT ${`${newId("crt")}_`} || n, ${named.campaign_id}, 'product_mention', 'Large', ARRAY[repeat('h', 15000)]
      FROM generate_series(1, 20) AS n`;
    return world.call(operation, { named, body: growing(operation) });
  },
  "422 account_too_large": async (world, operation) => {
    const by = await world.advertiser();
    const named = { ...by.named, ...(await world.campaign(by, {}, "draft")) };
    if (operation.operationId === "updatePlacement") {
      await world.setUp("enablePlacement", { by, named, body: placementBody });
    }
    await world.api.database.account.update({
      where: { id: by.accountId },
      data: { publishedBytes: MAX_ACCOUNT_BYTES },
    });
    return world.call(operation, { by, named, body: growing(operation) });
  },

  // The body and the query as such.
  "400 no_body": async (world, operation) => world.call(operation, { body: "" }),
  "400 not_json": async (world, operation) => world.call(operation, { body: "{" }),
  "400 too_deep": async (world, operation) =>
    world.call(operation, { body: "[".repeat(MAX_BODY_LEVELS + 1) }),
  "422 counts_as": async (world, operation) => {
    const by = await world.account({ rateLimitPerMinute: 2 });
    const { bodyBytesPerRequest = 16 * 1_024 } = operation;
    return world.call(operation, { by, body: { more: "x".repeat(2 * bodyBytesPerRequest) } });
  },
  "400 bad_cursor": async (world, operation) => world.call(operation, { query: "?cursor=page2" }),
  "400 no_days": withQuery("?days=abc"),
  "422 days": async (world, operation) => {
    const days = operation.query?.find(({ name }) => name === "days")?.schema as { maximum: number };
    return world.call(operation, { query: `?days=${days.maximum + 1}` });
  },
  "400 malformed_day": withQuery("?from=yesterday"),
  "422 period_reversed": withQuery("?from=2025-02-02&to=2025-02-01"),
  "422 period": withQuery("?from=2020-01-01&to=2025-12-31"),
  "400 blank_filter": withQuery("?game_id="),
  "422 too_many_rows": async (world, operation) => {
    const by = await world.advertiser(0);
    await writeRows(world, operation, by.accountId, MAX_CSV_ROWS + 1);
    const query = operation.operationId === "getSpend" ? "?days=12&group_by=day,campaign" : "?days=12";
    return eventually(async () => {
      const answer = await world.call(operation, { by, query, headers: { Accept: "text/csv" } });
      // A busy machine reaches the time limit of a report first.
      return answer.body.detail !== tooManyImpressions.detail && answer;
    });
  },
  "422 limit": async (world, operation) => world.call(operation, { query: "?limit=0" }),

  // Retries.
  "400 key_empty": async (world, operation) =>
    world.call(operation, { ...(await accepted(world, operation)), headers: { "Idempotency-Key": "" } }),
  "422 key_too_long": async (world, operation) =>
    world.call(operation, {
      ...(await accepted(world, operation)),
      headers: { "Idempotency-Key": "k".repeat(300) },
    }),
  "409 key_reused": async (world, operation) => {
    const call = await accepted(world, operation);
    const headers = { "Idempotency-Key": newId("acct") };
    const first = await world.call(operation, { ...call, headers });
    if (first.status >= 300) throw new Error(`${operation.operationId}: ${first.status} ${first.text}`);
    return world.call(operation, { ...call, headers, body: { ...call.body, another: true } });
  },
};

/** Adds at least this many rows to what the operation reports of the account. */
async function writeRows(
  { api: { database } }: World,
  { operationId }: Operation,
  accountId: string,
  rows: number,
): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  switch (operationId) {
    case "getEarnings":
      await database.$executeRaw`
        INSERT INTO game_rollups (account_id, game_id, day, impressions, earning_microcents)
        SELECT ${accountId}, 'game-' || n, ${today}::date, 1, 1 FROM generate_series(1, ${rows}::int) AS n`;
      return;
    case "getEarningsByAdvertiser":
      await database.$executeRaw`
        INSERT INTO game_advertiser_rollups (account_id, day, game_id, advertiser_id, impressions, earning_microcents)
        SELECT ${accountId}, ${today}::date, 'game', 'adv_' || n, 1, 1 FROM generate_series(1, ${rows}::int) AS n`;
      return;
    default:
      await database.$executeRaw`
        WITH made AS (
          INSERT INTO campaigns (id, advertiser_id, name, budget_cents, cpm_bid_cents, version, published_version)
          SELECT 'camp_' || n || a.id, a.id, 'many', 1000, 500, 1, 1
          FROM advertisers a, generate_series(1, ceil(${rows}::int / 10.0)::int) AS n WHERE a.account_id = ${accountId}
          RETURNING id
        )
        INSERT INTO campaign_rollups (campaign_id, day, impressions, spent_millicents, affinity_score_sum, users)
        SELECT id, ${today}::date - n, 1, 1, 0, 1 FROM made, generate_series(0, 9) AS n`;
      // As autovacuum does after so many new rows: planned for few, the report takes seconds.
      await database.$executeRaw`ANALYZE campaigns, campaign_rollups`;
  }
}

/** The owner's things are named by somebody else. */
function by(name: "nobody" | "other"): Provocation {
  return async (world, operation) =>
    world.call(operation, { by: world[name], named: world.owner.named, body: bodyOf(operation) });
}

/** A body by which more is published. */
function growing(operation: Operation): unknown {
  const changes: Record<string, object> = {
    updateCampaign: { target_tags: ["dragons"] },
    updateCreative: { tagline: "Warm, dark, and longer than before." },
    updatePlacement: { blocked_categories: ["gambling"] },
  };
  return changes[operation.operationId] ?? bodyOf(operation);
}

function naming(parameter: keyof Caller["named"], id: () => string): Provocation {
  return async (world, operation) =>
    world.call(operation, { named: { [parameter]: id() }, body: bodyOf(operation) });
}

/** Caller and body of a request that is not refused. */
async function accepted(
  world: World,
  operation: Operation,
): Promise<{ by: Caller; named?: Caller["named"]; body: object }> {
  const body = bodyOf(operation) as object;
  switch (operation.operationId) {
    case "registerAdvertiser":
      return {
        by: await world.account(),
        body: { company_name: "E", contact_email: `${newId("acct")}@example.com` },
      };
    case "rotateApiKey": {
      const caller = await world.account();
      const spare = await world.setUp("createApiKey", { by: caller, body: { label: "old" } });
      return { by: caller, named: { ...caller.named, key_id: spare.body.id }, body };
    }
    case "rotateWebhookSecret": {
      const caller = await world.account();
      const webhook = await world.setUp("createWebhook", { by: caller, body: webhookBody });
      return { by: caller, named: { ...caller.named, webhook_id: webhook.body.id }, body };
    }
    case "createApiKey":
      return { by: await world.account(), body: { label: "new" } };
    case "recordImpression":
      return impressionOfAMatch(world);
    default: {
      const caller = await world.advertiser();
      const named = { ...caller.named, ...(await world.campaign(caller, {}, "empty")) };
      return { by: caller, named, body };
    }
  }
}

/** An impression of a match of its own, which nobody else wins. */
export async function impressionOfAMatch(
  world: World,
  campaign: object = {},
  depositCents?: number,
): Promise<{ by: Caller; named: Caller["named"]; body: Record<string, string>; scene: object }> {
  const caller = await world.advertiser(depositCents);
  const category = newId("acct");
  const made = await world.campaign(caller, { target_categories: [category], ...campaign });
  const { game_id } = caller.named;
  await world.setUp("enablePlacement", { by: caller, body: placementBody });
  const scene = { game_id, user_id: newId("acct"), game_context: { category } };
  const match = await world.setUp("matchAd", { by: caller, body: scene });
  if (match.status !== 200) throw new Error(`no match: ${match.status} ${match.text}`);
  const { campaign_id, creative_id, match_id } = match.body;
  return {
    by: caller,
    named: { ...caller.named, ...made },
    body: { campaign_id, creative_id, game_id, match_id },
    scene,
  };
}
