import type { Database } from "@diegetic/database";

/** Each advertiser has deposited 10 000 cents and spent 5 on five impressions: one per campaign, if it has five. */
export async function insertAdvertisers(
  database: Database,
  { advertisers, campaignsEach }: { advertisers: number; campaignsEach: number },
): Promise<void> {
  await database.$executeRaw`
    INSERT INTO accounts (id, label) SELECT 'acct_' || n, 'a' FROM generate_series(1, ${advertisers}::int) n`;
  await database.$executeRaw`
    INSERT INTO advertisers (id, account_id, company_name, contact_email, contact_email_lower, deposited_millicents,
      spent_millicents, impressions)
    SELECT 'adv_' || n, 'acct_' || n, 'c', n || '@example.com', n || '@example.com', 10000000, 5000, 5
    FROM generate_series(1, ${advertisers}::int) n`;
  await database.$executeRaw`
    INSERT INTO campaigns (id, advertiser_id, name, status, budget_cents, cpm_bid_cents, spent_millicents, impressions)
    SELECT 'camp_' || n || '_' || c, 'adv_' || n, 'c', 'active', 1000, 1000, 1000, 1
    FROM generate_series(1, ${advertisers}::int) n, generate_series(1, ${campaignsEach}::int) c`;
  await database.$executeRaw`
    INSERT INTO creatives (id, campaign_id, creative_type, brand_name)
    SELECT 'crt_' || id, id, 'product_mention', 'b' FROM campaigns`;
}
