import type { Database } from "@diegetic/database";
import { MAX_MILLICENTS } from "@diegetic/money";
import { eventually } from "@diegetic/testing/eventually";
import { type ProvocationsOfOperations, repeated, sent, withQuery } from "./provocation.ts";
import { campaignBody, creativeBody, operationNamed } from "./world.fixture.ts";

const longName = repeated("Emberroast ", 240);
const tooMuchText = Array(9).fill(repeated("Emberroast.", 2_000));

/** Profile, money and campaigns. */
export const advertiserRefusals: ProvocationsOfOperations = {
  registerAdvertiser: {
    "400 missing_field": sent({ contact_email: "ads@emberroast.example" }),
    "400 malformed_field": sent({ company_name: "Emberroast", contact_email: "emberroast" }),
    "422 not_allowed": sent({ company_name: longName, contact_email: "ads@emberroast.example" }),
    "409 already_registered": sent({ company_name: "Ember", contact_email: "second@emberroast.example" }),
    "409 email_taken": async (world, operation) => {
      const contact_email = `${world.owner.accountId}@example.com`.toUpperCase();
      return world.call(operation, {
        by: await world.account(),
        body: { company_name: "Ember", contact_email },
      });
    },
  },
  updateProfile: {
    "400 malformed_field": sent({ website: "emberroast" }),
    "409 email_taken": async (world, operation) =>
      world.call(operation, { body: { contact_email: `${world.other.accountId}@example.com` } }),
    "422 not_allowed": sent({ company_name: longName }),
    "422 response_only": sent({ balance_cents: 5 }),
  },
  depositFunds: {
    "400 missing_field": sent({}),
    "400 malformed_field": sent({ amount_cents: "500" }),
    "422 not_allowed": sent({ amount_cents: 0 }),
    "422 too_much_in_all": async (world, operation) => {
      const by = await world.advertiser(0);
      await world.api.database.advertiser.updateMany({
        where: { accountId: by.accountId },
        data: { depositedMillicents: BigInt(MAX_MILLICENTS) },
      });
      return world.call(operation, { by, body: { amount_cents: 1 } });
    },
  },
  createCampaign: {
    "400 missing_field": sent({ name: "Winter", cpm_bid_cents: 1_200 }),
    "400 malformed_field": sent({ ...campaignBody, budget_cents: 99.5 }),
    "422 not_allowed": sent({ ...campaignBody, cpm_bid_cents: 99 }),
    "422 end_before_start": sent({ ...campaignBody, start_date: "2026-12-01", end_date: "2026-11-30" }),
    "422 too_many": async (world, operation) => {
      const by = await world.advertiser(0);
      const { database } = world.api;
      const { id } = await database.advertiser.findUniqueOrThrow({ where: { accountId: by.accountId } });
      await database.$executeRaw`
        INSERT INTO campaigns (id, advertiser_id, name, budget_cents, cpm_bid_cents, version, published_version)
        SELECT 'camp_' || lpad(n::text, 26, '0'), ${id}, 'many', 1000, 500, 1, 1
        FROM generate_series(1, 5000) AS n`;
      return world.call(operation, { by, body: campaignBody });
    },
  },
  createCampaigns: {
    "400 missing_field": sent({}),
    "400 malformed_field": sent({ campaigns: "many" }),
    "422 too_many": sent({ campaigns: Array(501).fill(campaignBody) }),
  },
  updateCampaign: {
    "400 malformed_field": sent({ name: null }),
    "422 not_allowed": sent({ priority: 11 }),
    "422 response_only": sent({ status: "paused" }),
    "422 end_before_start": sent({ start_date: "2026-12-01", end_date: "2026-11-30" }),
    "422 budget_below_spent": async (world, operation) => {
      const named = await world.campaign(world.owner, {}, "draft");
      await world.api.database.campaign.update({
        where: { id: named.campaign_id ?? "" },
        data: { spentMillicents: 4_200_000n },
      });
      return world.call(operation, { named, body: { budget_cents: 4_000 } });
    },
  },
  activateCampaign: {
    "409 already_active": async (world, operation) =>
      world.call(operation, { named: await world.campaign(world.owner) }),
    "409 no_creative": async (world, operation) =>
      world.call(operation, { named: await world.campaign(world.owner, {}, "empty") }),
    "409 balance": async (world, operation) => {
      const by = await world.advertiser(0);
      return world.call(operation, { by, named: await world.campaign(by, {}, "draft") });
    },
  },
  pauseCampaign: { "409 not_active": async (world, operation) => world.call(operation) },
  getSpend: {
    "400 blank_filter": withQuery("?campaign_id="),
    "400 country_code": withQuery("?country_code=Deutschland"),
    "422 group_by": withQuery("?group_by=week"),
    "422 dropped": async (world, operation) => {
      const { database } = world.api;
      await database.$executeRaw`
        INSERT INTO dropped_impression_days (day, impressions, spent_millicents, earning_microcents)
        VALUES ('2026-05-31', 1, 1, 1)`;
      const answer = await world.call(operation, {
        query: "?group_by=creative&from=2026-05-31&to=2026-05-31",
      });
      await database.$executeRaw`DELETE FROM dropped_impression_days`;
      return answer;
    },
    // Impressions that cannot be read in time, for whatever reason.
    "422 too_many_impressions": (world, operation) =>
      world.api.database.$transaction(
        async (transaction) => {
          await transaction.$executeRaw`LOCK TABLE impressions IN ACCESS EXCLUSIVE MODE`;
          const [answer] = await Promise.all([
            world.call(operation),
            endWaitingStatement(world.api.database),
          ]);
          return { answer };
        },
        { timeout: 60_000 },
      ),
  },
};

/** What belongs to a campaign, and what looks at it. */
export const creativeRefusals: ProvocationsOfOperations = {
  createCreative: {
    "400 missing_field": sent({ creative_type: "narrative_hook", narrative_hook: "A hook." }),
    "400 malformed_field": sent({ ...creativeBody, alt_hooks: 7 }),
    "400 hook_missing": sent({ creative_type: "narrative_hook", brand_name: "Emberroast" }),
    "422 too_much_text": sent({ ...creativeBody, alt_hooks: tooMuchText }),
    "422 not_allowed": sent({ ...creativeBody, max_uses_per_game: 21 }),
    "422 too_many": async (world, operation) => {
      const named = await world.campaign(world.owner, {}, "empty");
      await world.api.database.$executeRaw`
        INSERT INTO creatives (id, campaign_id, creative_type, brand_name)
        SELECT 'crt_' || lpad(n::text, 26, '0'), ${named.campaign_id}, 'product_mention', 'many'
        FROM generate_series(1, 100) AS n`;
      return world.call(operation, { named, body: creativeBody });
    },
    "422 too_many_deleted": async (world, operation) => {
      const named = await world.campaign(world.owner, {}, "empty");
      await world.api.database.$executeRaw`
        INSERT INTO creatives (id, campaign_id, creative_type, brand_name, deleted_at)
        SELECT 'crt_' || lpad((n + 1000)::text, 26, '0'), ${named.campaign_id}, 'product_mention', 'many', now()
        FROM generate_series(1, 10000) AS n`;
      return world.call(operation, { named, body: creativeBody });
    },
  },
  updateCreative: {
    "400 malformed_field": sent({ brand_name: null }),
    "400 hook_missing": sent({ narrative_hook: null }),
    "422 too_much_text": sent({ alt_hooks: tooMuchText }),
    "422 not_allowed": sent({ max_uses_per_game: 21 }),
    "422 type_fixed": sent({ creative_type: "product_mention" }),
    "422 response_only": sent({ impressions: 1_000 }),
  },
  deleteCreative: {
    "409 last_creative": async (world, operation) =>
      world.call(operation, { named: await world.campaign(world.owner) }),
  },
  simulateCampaign: {
    "400 malformed_field": sent({ mood: 7 }),
    "422 not_allowed": sent({ mood: repeated("calm ", 240) }),
    "409 no_creative": async (world, operation) => {
      const named = await world.campaign(world.owner, {}, "empty");
      return world.call(operationNamed(operation.operationId), { named, body: {} });
    },
  },
};

/** What Postgres does when the time of a statement is over. */
async function endWaitingStatement(database: Database): Promise<void> {
  await eventually(async () => {
    const ended = await database.$queryRaw<unknown[]>`
      SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%impressions%'`;
    return ended.length > 0;
  });
}
