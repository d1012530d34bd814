import type { Pipeline, Prisma, Statements } from "@diegetic/database";
import { recordCampaignSize, type SizeChange } from "../sizes/published-size.ts";
import type { Publishing } from "../snapshot-publishing/publishing.ts";
import type { Campaign } from "./campaign.ts";
import { type CampaignContents, lockCampaign, readContents, writeCampaign } from "./statements.ts";

export interface MutationParts {
  pipeline: Pipeline;
  publishing: Publishing;
}

/** A campaign that nobody else changes until the end of the transaction. */
export interface LockedCampaign {
  readonly current: Campaign;
  /** The version that will show the change. */
  readonly nextVersion: number;
  /** What belongs to the campaign; read when it is first asked for. */
  contents(): Promise<CampaignContents>;
  /** For what else has to be read while the campaign is locked. */
  readonly statements: Statements;
}

export interface CampaignChange {
  /** Settings and status that change. */
  campaign?: Partial<Campaign>;
  /** When the campaign becomes active: the moment of its first activation stays. */
  activatedAt?: Date;
  /** Statements that write what belongs to the campaign. */
  writes?: readonly Prisma.Sql[];
  /** What belongs to the campaign afterwards. Default: as before. */
  contents?: Partial<CampaignContents>;
  /** Left out: what is published has the size that it had. */
  size?: SizeChange;
}

export interface Decision<Result> {
  /** Left out: nothing is written. */
  change?: CampaignChange;
  result: (campaign: Campaign) => Result;
}

export type Decide<Result> = (locked: LockedCampaign) => Decision<Result> | Promise<Decision<Result>>;

/**
 * The one way in which a campaign, or something that belongs to it, changes: lock, decide, write, bump the version, commit,
 * publish. Returns when the change is in force.
 * @param publish see `Publishing`: `publishAndWait` for what restricts, `publishEventually` for what only gives
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
 * `mutateCampaign` inside of a transaction, without publishing. What `decide` reads of the campaign stays true until the commit.
 * Throws 422 when the campaign or its account becomes too large. Locks the account where the size changes: take locks of
 * advertisers, campaigns and placements before.
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
  // Nobody waits for the answers to the writes: the commit goes out behind them, and fails when one of them does.
  for (const write of change.writes ?? []) void statements.execute(write);
  if (whole !== undefined && change.size !== undefined) {
    changed.publishedBytes = await recordCampaignSize(statements, whole, change.size);
  }
  void writeCampaign(statements, changed, { activatedAt: change.activatedAt ?? null });
  return result(changed);
}
