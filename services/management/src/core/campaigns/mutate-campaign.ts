import type { Pipeline, Prisma, Statements } from "@diegetic/database";
import type { Campaign } from "../campaign-rows/campaign.ts";
import {
  type CampaignContents,
  lockCampaign,
  readContents,
  writeCampaign,
} from "../campaign-rows/statements.ts";
import type { Publishing } from "../publishing/publishing.ts";
import { recordCampaignSize, type SizeChange } from "./published-size.ts";

export interface MutationParts {
  pipeline: Pipeline;
  publishing: Publishing;
}

/** A campaign that is locked until the end of the transaction. */
export interface LockedCampaign {
  readonly current: Campaign;
  /** The version that publishes the change. */
  readonly nextVersion: number;
  /** The campaign's parts; read on the first call. */
  contents(): Promise<CampaignContents>;
  /** For other reads while the campaign is locked. */
  readonly statements: Statements;
}

export interface CampaignChange {
  /** Changed settings and status. */
  campaign?: Partial<Campaign>;
  /** Set when the campaign becomes active; the first activation's time is kept. */
  activatedAt?: Date;
  /** Statements that write the campaign's parts. */
  writes?: readonly Prisma.Sql[];
  /** The campaign's parts after the change. Default: unchanged. */
  contents?: Partial<CampaignContents>;
  /** Absent: the published size is unchanged. */
  size?: SizeChange;
}

export interface Decision<Result> {
  /** Absent: nothing is written. */
  change?: CampaignChange;
  result: (campaign: Campaign) => Result;
}

export type Decide<Result> = (locked: LockedCampaign) => Decision<Result> | Promise<Decision<Result>>;

/**
 * Changes a campaign or its parts and publishes: `changeCampaign`, commit, publish. Resolves when the change is in force.
 * @param publish see `Publishing`: `publishAndWait` for restrictions, `publishEventually` for additions
 */
export async function mutateCampaign<Result>(
  { pipeline, publishing }: MutationParts,
  campaignId: string,
  publish: "publishAndWait" | "publishEventually",
  decide: Decide<Result>,
): Promise<Result> {
  const result = await pipeline.inTransaction((statements) => changeCampaign(statements, campaignId, decide));
  await publishing[publish]("campaign", campaignId);
  return result;
}

/**
 * The only way to change an existing campaign or its parts: lock, decide, write, bump the version. Callers publish after the
 * commit. What `decide` reads of the campaign stays true until then. Throws 422 when the campaign or its account becomes
 * too large. Locks the account if the size changes: lock advertisers, campaigns and placements first.
 */
export async function changeCampaign<Result>(
  statements: Statements,
  campaignId: string,
  decide: Decide<Result>,
): Promise<Result> {
  const current = await lockCampaign(statements, campaignId);
  let read: Promise<CampaignContents> | undefined;
  const contents = () => {
    read ??= readContents(statements, campaignId);
    return read;
  };
  const nextVersion = current.version + 1;
  const { change, result } = await decide({ current, nextVersion, contents, statements });
  if (change === undefined) return result(current);
  const changed: Campaign = { ...current, ...change.campaign, version: nextVersion };
  const whole =
    change.size === undefined ? undefined : { ...changed, ...(await contents()), ...change.contents };
  // The writes are not awaited: the commit follows them, and fails if one of them fails.
  for (const write of change.writes ?? []) void statements.execute(write);
  if (whole !== undefined && change.size !== undefined) {
    changed.publishedBytes = await recordCampaignSize(statements, whole, change.size);
  }
  void writeCampaign(statements, changed, change.activatedAt ?? null);
  return result(changed);
}
