import type { BilledImpression } from "./billed-impression.ts";
import { codeNumbers, codePairs, codeTexts } from "./coded-column.ts";

/** Column groups by which the impressions of a batch are summed up. */
export type Groups = ReturnType<typeof groupsOf>;

/** Groups impressions. Throws RangeError when they exceed MAX_CODED_ROWS. */
export function groupsOf(impressions: readonly BilledImpression[]) {
  const texts = (of: (impression: BilledImpression) => string) => codeTexts(impressions.map(of));
  const advertiser = texts(({ record }) => record.match.advertiser_id);
  const campaign = texts(({ record }) => record.match.campaign_id);
  const creative = texts(({ record }) => record.creative_id);
  const country = texts(({ record }) => record.match.country_code ?? "");
  const day = texts((impression) => impression.day);
  const gameId = texts(({ record }) => record.match.game_id);
  const account = texts(({ record }) => record.match.developer_account_id);
  const user = texts(({ record }) => record.match.user_hash);
  const version = codeNumbers(impressions.map(({ record }) => record.match.campaign_version));
  const owned = codePairs(campaign, advertiser);
  const game = codePairs(account, gameId);
  const gameDay = codePairs(game, day);
  const player = codePairs(campaign, user);
  const playerDay = codePairs(player, day);
  return {
    advertiser,
    owned,
    campaignVersion: codePairs(campaign, version),
    campaignDay: codePairs(campaign, day),
    campaignCreative: codePairs(campaign, creative),
    campaignCountry: codePairs(campaign, country),
    campaignGame: codePairs(campaign, game),
    game,
    gameDay,
    gameAdvertiserDay: codePairs(gameDay, advertiser),
    charge: codePairs(codePairs(advertiser, campaign), day),
    player,
    playerDay,
    playerCreative: codePairs(player, creative),
    playerCountry: codePairs(player, country),
    reach: codePairs(codePairs(playerDay, creative), country),
  };
}
