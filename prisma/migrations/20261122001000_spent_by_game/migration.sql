-- What a campaign has spent in each game: earnings do not tell, since shares differ.
ALTER TABLE "campaign_games" ADD COLUMN "spent_millicents" BIGINT NOT NULL DEFAULT 0;
UPDATE "campaign_games" AS known SET "spent_millicents" = billed.spent
FROM (
  SELECT campaign_id, game_id, developer_account_id, sum(price_millicents) AS spent
  FROM "impressions" GROUP BY campaign_id, game_id, developer_account_id
) AS billed
WHERE known.campaign_id = billed.campaign_id AND known.game_id = billed.game_id
  AND known.account_id = billed.developer_account_id;
