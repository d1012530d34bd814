import { apiKeyOperations } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";

/** What a key needs for each operation, and what the request counts as (docs/behaviour.md#key-scopes). */
const OPERATIONS = `
POST /register                                                | advertiser                | management
GET /profile                                                  | advertiser                | management
PATCH /profile                                                | advertiser                | management
POST /deposit                                                 | advertiser                | management
GET /deposits                                                 | advertiser                | management
POST /campaigns                                               | advertiser                | management
POST /campaigns/bulk                                          | advertiser                | management
GET /campaigns                                                | advertiser                | management
GET /campaigns/{campaign_id}                                  | advertiser                | management
PATCH /campaigns/{campaign_id}                                | advertiser                | management
POST /campaigns/{campaign_id}/activate                        | advertiser                | management
POST /campaigns/{campaign_id}/pause                           | advertiser                | management
POST /campaigns/{campaign_id}/creatives                       | advertiser                | management
GET /campaigns/{campaign_id}/creatives                        | advertiser                | management
PATCH /creatives/{creative_id}                                | advertiser                | management
DELETE /creatives/{creative_id}                               | advertiser                | management
POST /campaigns/{campaign_id}/geo-targets                     | advertiser                | management
GET /campaigns/{campaign_id}/geo-targets                      | advertiser                | management
DELETE /campaigns/{campaign_id}/geo-targets/{geo_target_id}   | advertiser                | management
POST /campaigns/{campaign_id}/blocklist                       | advertiser                | management
GET /campaigns/{campaign_id}/blocklist                        | advertiser                | management
DELETE /campaigns/{campaign_id}/blocklist/{blocklist_rule_id} | advertiser                | management
PUT /campaigns/{campaign_id}/affinities/bulk                  | advertiser                | management
POST /campaigns/{campaign_id}/affinities                      | advertiser                | management
GET /campaigns/{campaign_id}/affinities                       | advertiser                | management
DELETE /campaigns/{campaign_id}/affinities/{affinity_id}      | advertiser                | management
POST /campaigns/{campaign_id}/simulate                        | advertiser                | management
GET /campaigns/{campaign_id}/simulate/options                 | advertiser                | management
POST /campaigns/{campaign_id}/explain                         | advertiser                | explain
GET /campaigns/{campaign_id}/stats                            | advertiser                | analytics
GET /campaigns/{campaign_id}/analytics/daily                  | advertiser                | analytics
GET /campaigns/{campaign_id}/analytics/creatives              | advertiser                | analytics
GET /campaigns/{campaign_id}/analytics/geo                    | advertiser                | analytics
GET /campaigns/{campaign_id}/analytics/games                  | advertiser                | analytics
GET /campaigns/{campaign_id}/analytics/affinities             | advertiser                | analytics
GET /campaigns/{campaign_id}/analytics/pacing                 | advertiser                | analytics
GET /analytics/daily                                          | advertiser                | analytics
GET /analytics/campaigns                                      | advertiser                | analytics
GET /analytics/spend                                          | advertiser                | analytics
GET /ledger                                                   | advertiser                | management
GET /placements                                               | developer                 | management
POST /placements/{game_id}                                    | developer                 | management
GET /placements/{game_id}                                     | developer                 | management
PATCH /placements/{game_id}                                   | developer                 | management
DELETE /placements/{game_id}                                  | developer                 | management
GET /revenue                                                  | advertiser                | analytics
GET /creator-revenue                                          | developer                 | analytics
GET /creator-revenue/{game_id}                                | developer                 | analytics
GET /creator-revenue/{game_id}/advertisers                    | developer                 | analytics
GET /earnings                                                 | developer                 | management
GET /earnings/advertisers                                     | developer                 | management
GET /traffic                                                  | developer                 | management
GET /traffic/{game_id}                                        | developer                 | management
GET /traffic/{game_id}/no-match-scenes                        | developer                 | management
GET /no-match-scenes                                          | advertiser or developer   | management
GET /traffic/{game_id}/words                                  | developer                 | management
GET /market/words                                             | advertiser                | management
POST /match                                                   | serving                   | match
POST /impressions                                             | serving                   | impressions
POST /api-keys                                                | advertiser or developer   | management
GET /api-keys                                                 | advertiser or developer   | management
POST /api-keys/{key_id}/rotate                                | advertiser or developer   | management
DELETE /api-keys/{key_id}                                     | advertiser or developer   | management
POST /webhooks                                                | advertiser or developer   | management
GET /webhooks                                                 | advertiser or developer   | management
GET /webhooks/{webhook_id}                                    | advertiser or developer   | management
PATCH /webhooks/{webhook_id}                                  | advertiser or developer   | management
DELETE /webhooks/{webhook_id}                                 | advertiser or developer   | management
POST /webhooks/{webhook_id}/rotate-secret                     | advertiser or developer   | management
POST /webhooks/{webhook_id}/test                              | advertiser or developer   | management
GET /webhooks/{webhook_id}/deliveries                         | advertiser or developer   | management
POST /webhooks/deliveries/{delivery_id}/redeliver             | advertiser or developer   | management
`;

const operations = OPERATIONS.trim()
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()));

describe("every operation", () => {
  it.each(operations)("%s needs the scope %s and counts as %s", (route, scope, group) => {
    const found = apiKeyOperations().find(({ method, path }) => `${method} ${path}` === route);
    expect([[found?.scope].flat().join(" or "), found?.group]).toEqual([scope, group]);
  });

  it("stands in this table", () => {
    const routes = operations.map(([route]) => route);
    expect(routes).toEqual(apiKeyOperations().map(({ method, path }) => `${method} ${path}`));
  });
});
