-- What schema.prisma describes; by hand: arrays are NOT NULL and impressions are partitioned by day.

CREATE TYPE "scope" AS ENUM ('advertiser', 'developer', 'serving');

CREATE TYPE "campaign_status" AS ENUM ('draft', 'active', 'paused');

CREATE TYPE "creative_type" AS ENUM ('narrative_hook', 'product_mention', 'location_brand', 'character_reference');

CREATE TYPE "tone" AS ENUM ('positive', 'neutral', 'humorous', 'dramatic');

CREATE TYPE "geo_target_type" AS ENUM ('country', 'state', 'city', 'radius');

CREATE TYPE "blocklist_rule_type" AS ENUM ('keyword', 'theme', 'category', 'action', 'game_id');

CREATE TYPE "affinity_type" AS ENUM ('action', 'location', 'theme', 'mood', 'category', 'lighting', 'effects', 'camera');

CREATE TYPE "ledger_kind" AS ENUM ('deposit', 'charge', 'earning', 'fee');

CREATE TYPE "unique_user_dimension" AS ENUM ('total', 'day', 'creative', 'country');

CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "scopes" "scope"[] NOT NULL,
    "rate_limit_per_minute" INTEGER,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "published_version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "advertisers" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "company_name" TEXT NOT NULL,
    "contact_email" TEXT NOT NULL,
    "contact_email_lower" TEXT NOT NULL,
    "website" TEXT,
    "deposited_millicents" BIGINT NOT NULL DEFAULT 0,
    "spent_millicents" BIGINT NOT NULL DEFAULT 0,
    "impressions" BIGINT NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "published_version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "advertisers_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "campaigns" (
    "id" TEXT NOT NULL,
    "advertiser_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" "campaign_status" NOT NULL DEFAULT 'draft',
    "budget_cents" INTEGER NOT NULL,
    "spent_millicents" BIGINT NOT NULL DEFAULT 0,
    "impressions" BIGINT NOT NULL DEFAULT 0,
    "cpm_bid_cents" INTEGER NOT NULL,
    "daily_cap_cents" INTEGER,
    "start_date" TEXT,
    "end_date" TEXT,
    "priority" INTEGER NOT NULL DEFAULT 5,
    "target_categories" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "target_tags" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "first_activated_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "published_version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "campaigns_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "creatives" (
    "id" TEXT NOT NULL,
    "campaign_id" TEXT NOT NULL,
    "creative_type" "creative_type" NOT NULL,
    "brand_name" TEXT NOT NULL,
    "product_name" TEXT,
    "tagline" TEXT,
    "narrative_hook" TEXT,
    "alt_hooks" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "tone" "tone" NOT NULL DEFAULT 'neutral',
    "max_uses_per_game" INTEGER NOT NULL DEFAULT 3,
    "impressions" BIGINT NOT NULL DEFAULT 0,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "creatives_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "geo_targets" (
    "id" TEXT NOT NULL,
    "campaign_id" TEXT NOT NULL,
    "target_type" "geo_target_type" NOT NULL,
    "country_code" TEXT,
    "state_code" TEXT,
    "city_name" TEXT,
    "lat" DOUBLE PRECISION,
    "lng" DOUBLE PRECISION,
    "radius_km" DOUBLE PRECISION,
    "include" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "geo_targets_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "blocklist_rules" (
    "id" TEXT NOT NULL,
    "campaign_id" TEXT NOT NULL,
    "rule_type" "blocklist_rule_type" NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "blocklist_rules_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "affinities" (
    "id" TEXT NOT NULL,
    "campaign_id" TEXT NOT NULL,
    "affinity_type" "affinity_type" NOT NULL,
    "affinity_value" TEXT NOT NULL,
    "weight" DOUBLE PRECISION NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "affinities_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "placements" (
    "game_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "creator_id" TEXT NOT NULL,
    "placement_types" "creative_type"[] NOT NULL,
    "revenue_share_basis_points" INTEGER NOT NULL DEFAULT 7000,
    "max_ads_per_session" INTEGER NOT NULL DEFAULT 10,
    "blocked_advertisers" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "blocked_categories" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "version" INTEGER NOT NULL DEFAULT 1,
    "published_version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "placements_pkey" PRIMARY KEY ("game_id")
);

CREATE TABLE "deposits" (
    "id" TEXT NOT NULL,
    "advertiser_id" TEXT NOT NULL,
    "amount_cents" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deposits_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "idempotency_keys" (
    "account_id" TEXT NOT NULL,
    "endpoint" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_sha256" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "response" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("account_id","endpoint","key")
);

CREATE TABLE "impressions" (
    "day" DATE NOT NULL,
    "impression_id" TEXT NOT NULL,
    "match_id" TEXT NOT NULL,
    "advertiser_id" TEXT NOT NULL,
    "campaign_id" TEXT NOT NULL,
    "creative_id" TEXT NOT NULL,
    "game_id" TEXT NOT NULL,
    "developer_account_id" TEXT NOT NULL,
    "user_hash" TEXT NOT NULL,
    "session_key" TEXT NOT NULL,
    "country_code" TEXT,
    "affinity_score" DECIMAL(12,6) NOT NULL,
    "affinities" JSONB NOT NULL,
    "price_millicents" BIGINT NOT NULL,
    "revenue_share_basis_points" INTEGER NOT NULL,
    "earning_microcents" BIGINT NOT NULL,
    "matched_at" TIMESTAMPTZ(3) NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "impressions_pkey" PRIMARY KEY ("day","impression_id")
) PARTITION BY RANGE ("day");

CREATE TABLE "ledger_entries" (
    "id" BIGSERIAL NOT NULL,
    "posting_id" TEXT NOT NULL,
    "kind" "ledger_kind" NOT NULL,
    "posted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "day" DATE NOT NULL,
    "account_id" TEXT,
    "advertiser_id" TEXT NOT NULL,
    "campaign_id" TEXT,
    "game_id" TEXT,
    "impressions" INTEGER NOT NULL DEFAULT 0,
    "amount_microcents" BIGINT NOT NULL,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "campaign_rollups" (
    "campaign_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "creative_id" TEXT NOT NULL,
    "country_code" TEXT NOT NULL,
    "game_id" TEXT NOT NULL,
    "impressions" BIGINT NOT NULL,
    "spent_millicents" BIGINT NOT NULL,
    "affinity_score_sum" DECIMAL(24,6) NOT NULL,

    CONSTRAINT "campaign_rollups_pkey" PRIMARY KEY ("campaign_id","day","creative_id","country_code","game_id")
);

CREATE TABLE "game_rollups" (
    "game_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "advertiser_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "impressions" BIGINT NOT NULL,
    "earning_microcents" BIGINT NOT NULL,

    CONSTRAINT "game_rollups_pkey" PRIMARY KEY ("game_id","day","advertiser_id","account_id")
);

CREATE TABLE "unique_users" (
    "campaign_id" TEXT NOT NULL,
    "dimension" "unique_user_dimension" NOT NULL,
    "dimension_key" TEXT NOT NULL,
    "user_hash" TEXT NOT NULL,

    CONSTRAINT "unique_users_pkey" PRIMARY KEY ("campaign_id","dimension","dimension_key","user_hash")
);

CREATE TABLE "unique_user_counts" (
    "campaign_id" TEXT NOT NULL,
    "dimension" "unique_user_dimension" NOT NULL,
    "dimension_key" TEXT NOT NULL,
    "users" BIGINT NOT NULL,

    CONSTRAINT "unique_user_counts_pkey" PRIMARY KEY ("campaign_id","dimension","dimension_key")
);

CREATE TABLE "poison_impressions" (
    "impression_id" TEXT NOT NULL,
    "advertiser_id" TEXT NOT NULL,
    "record" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "set_aside_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "poison_impressions_pkey" PRIMARY KEY ("impression_id")
);

CREATE UNIQUE INDEX "api_keys_sha256_key" ON "api_keys"("sha256");

CREATE INDEX "api_keys_account_id_idx" ON "api_keys"("account_id");

CREATE UNIQUE INDEX "advertisers_account_id_key" ON "advertisers"("account_id");

CREATE UNIQUE INDEX "advertisers_contact_email_lower_key" ON "advertisers"("contact_email_lower");

CREATE INDEX "campaigns_advertiser_id_created_at_idx" ON "campaigns"("advertiser_id", "created_at");

CREATE INDEX "creatives_campaign_id_created_at_idx" ON "creatives"("campaign_id", "created_at");

CREATE INDEX "geo_targets_campaign_id_created_at_idx" ON "geo_targets"("campaign_id", "created_at");

CREATE INDEX "blocklist_rules_campaign_id_created_at_idx" ON "blocklist_rules"("campaign_id", "created_at");

CREATE INDEX "affinities_campaign_id_created_at_idx" ON "affinities"("campaign_id", "created_at");

CREATE INDEX "placements_account_id_idx" ON "placements"("account_id");

CREATE INDEX "deposits_advertiser_id_created_at_idx" ON "deposits"("advertiser_id", "created_at");

CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

CREATE INDEX "ledger_entries_advertiser_id_id_idx" ON "ledger_entries"("advertiser_id", "id");

CREATE INDEX "ledger_entries_account_id_id_idx" ON "ledger_entries"("account_id", "id");

CREATE INDEX "ledger_entries_posting_id_idx" ON "ledger_entries"("posting_id");

CREATE INDEX "game_rollups_account_id_game_id_idx" ON "game_rollups"("account_id", "game_id");

ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "advertisers" ADD CONSTRAINT "advertisers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_advertiser_id_fkey" FOREIGN KEY ("advertiser_id") REFERENCES "advertisers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "creatives" ADD CONSTRAINT "creatives_campaign_id_fkey" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "geo_targets" ADD CONSTRAINT "geo_targets_campaign_id_fkey" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "blocklist_rules" ADD CONSTRAINT "blocklist_rules_campaign_id_fkey" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "affinities" ADD CONSTRAINT "affinities_campaign_id_fkey" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "placements" ADD CONSTRAINT "placements_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "deposits" ADD CONSTRAINT "deposits_advertiser_id_fkey" FOREIGN KEY ("advertiser_id") REFERENCES "advertisers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
