import { CampaignIndex } from "../src/matching-index/campaign-index.ts";
import type { Candidate } from "../src/matching-index/search/candidate.ts";
import type { Campaign } from "../src/types/campaign.ts";
import type { MatchScene } from "../src/types/request.ts";

/** The candidate that an index with only this campaign returns; null: the campaign fails one of rules 1 to 7. */
export function eligibleCandidate(own: Campaign, scene: MatchScene): Candidate | null {
  const index = new CampaignIndex();
  index.upsert(own);
  return index.draw(scene, () => 0).candidate;
}
