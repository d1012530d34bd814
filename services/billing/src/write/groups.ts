import type { BilledImpression } from "./billed-impression.ts";
import { type CodedColumn, codeNumbers, codePairs, codeTexts } from "./coded-column.ts";

/** Column groups by which the impressions of a batch are summed up. */
export interface Groups {
  advertiser: CodedColumn;
  campaign: CodedColumn;
  /** Campaign and advertiser. */
  owned: CodedColumn;
  campaignVersion: CodedColumn;
  campaignDay: CodedColumn;
  campaignCreative: CodedColumn;
  campaignCountry: CodedColumn;
  /** Campaign, account and game. */
  campaignGame: CodedColumn;
  /** Account and game. */
  game: CodedColumn;
  gameDay: CodedColumn;
  /** Account, game, day and advertiser. */
  gameAdvertiserDay: CodedColumn;
  /** Advertiser, campaign and day. */
  charge: CodedColumn;
  /** Campaign and player. */
  player: CodedColumn;
  playerDay: CodedColumn;
  playerCreative: CodedColumn;
  playerCountry: CodedColumn;
  /** Campaign, player, day, creative and country. */
  reach: CodedColumn;
}

/** Groups impressions. Throws RangeError when they exceed MAX_CODED_ROWS. */
export function groupsOf(impressions: readonly BilledImpression[]): Groups {
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
  const charge = codePairs(codePairs(advertiser, campaign), day);
  const player = codePairs(campaign, user);
  const playerDay = codePairs(player, day);
  const playerCreative = codePairs(player, creative);
  return {
    advertiser,
    campaign,
    owned,
    campaignVersion: codePairs(campaign, version),
    campaignDay: codePairs(campaign, day),
    campaignCreative: codePairs(campaign, creative),
    campaignCountry: codePairs(campaign, country),
    campaignGame: codePairs(campaign, game),
    game,
    gameDay,
    gameAdvertiserDay: codePairs(gameDay, advertiser),
    charge,
    player,
    playerDay,
    playerCreative,
    playerCountry: codePairs(player, country),
    reach: codePairs(codePairs(playerDay, creative), country),
  };
}
