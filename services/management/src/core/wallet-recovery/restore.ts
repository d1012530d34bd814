import { chunks } from "@diegetic/collections";
import { type FrozenWallet, type MoneyCommands, walletIdOf } from "@diegetic/hot-state";
import type { FoundWallet } from "./freeze.ts";
import type { KnownAdvertiser } from "./load.ts";
import {
  type FoundSlice,
  isIntact,
  isTrustedEpoch,
  marksOf,
  missingLateIds,
  type Reserved,
  reservedInSlices,
  totalsOf,
  type WalletTotals,
} from "./totals.ts";

/** More at once could take longer than a command may. */
const CAMPAIGNS_READ_TOGETHER = 500;
/** Even with the maximum of campaigns, this many scripts end within the time limit of a command. */
const SLICES_RESTORED_TOGETHER = 4;

/** What a restore reads and changes in Redis. */
export type RestoreCommands = Pick<
  MoneyCommands,
  "findSettledMarks" | "readOwnTotals" | "restoreWallet" | "restoreSlice"
>;

/** `created`: there was no wallet; `forgotten`: its holds and matches are void; `kept`: they stay valid. */
export type Outcome = "created" | "forgotten" | "kept";

export interface Restored {
  outcome: Outcome;
  /** Late charges that the wallet did not have. */
  lateIds: string[];
  /** Whether any slice keeps holds. */
  hasHolds: boolean;
}

/** What the slices of a wallet keep when it is restored. */
interface KeptSlices {
  found: readonly FoundSlice[];
  /** Whether the holds and matches of each slice stay valid. */
  keeps: readonly boolean[];
  /** In millicents. */
  reservedIn: Reserved;
}

/**
 * Gives a frozen wallet and its slices the totals of Postgres and outbox, and the epoch that Postgres has begun: from then on
 * they serve. Null: one of them has changed since it was frozen.
 */
export async function restoreWallet(
  wallets: RestoreCommands,
  known: KnownAdvertiser,
  { slices, row, outbox }: FoundWallet,
): Promise<Restored | null> {
  const [own] = slices;
  const totals = totalsOf(known, outbox, own.day);
  const found: FoundSlice[] = [];
  for (const [slice, wallet] of slices.entries()) {
    found.push(await readSlice(wallets, { known, totals, wallet, slice }));
  }
  // A restore that ended early has counted what is in slices of another epoch, but compared nothing in them.
  const isOfEpoch = ({ epoch }: FrozenWallet) => epoch === own.epoch;
  const together = found.filter((one) => isOfEpoch(one.found));
  const isWhole = own.epoch !== "" && isIntact(together, { known, totals });
  const keeps = found.map((one) => (isWhole && isOfEpoch(one.found)) || hasLostNothing(one, known));
  const { depositedMillicents } = known;
  const reservedIn = reservedInSlices({ ...totals, depositedMillicents }, found, keeps);
  const kept = { found, keeps, reservedIn };
  const ownResult = await wallets.restoreWallet({
    walletId: known.id,
    epoch: known.epoch,
    version: known.version,
    found: own,
    forgetMatches: !keeps[0],
    settledMarks: totals.settledMarks[0] ?? [],
    spentMillicents: totals.spentMillicents,
    impressions: totals.impressions,
    slices: known.slices,
    depositedMillicents,
    campaigns: campaignsOfOwnWallet(totals, kept),
  });
  if (ownResult === "changed") return null;
  if (!(await restoreSlices(wallets, { known, totals, kept }))) return null;
  return {
    outcome: isNew(known, own, row.epoch) ? "created" : isWhole ? "kept" : "forgotten",
    lateIds: missingLateIds(found, known),
    hasHolds: found.some(({ slice, found: wallet }) => keeps[slice] && wallet.heldMillicents > 0),
  };
}

/**
 * Restores the other slices of a wallet, also when one of them fails: what is restored keeps its matches. False: one has
 * changed since it was frozen. A few at a time: Redis runs one script after the other, so that each of many would wait for
 * all others until its time limit.
 */
async function restoreSlices(
  wallets: RestoreCommands,
  { known, totals, kept }: { known: KnownAdvertiser; totals: WalletTotals; kept: KeptSlices },
): Promise<boolean> {
  const { found, keeps, reservedIn } = kept;
  const restored: PromiseSettledResult<"restored" | "changed">[] = [];
  for (const few of chunks(found.slice(1), SLICES_RESTORED_TOGETHER)) {
    const results = await Promise.allSettled(
      few.map(({ slice, found: wallet }) =>
        wallets.restoreSlice({
          advertiserId: known.id,
          epoch: known.epoch,
          version: known.version,
          slice,
          found: wallet,
          forgetMatches: !keeps[slice],
          settledMarks: totals.settledMarks[slice] ?? [],
          campaigns: totals.campaigns.map(({ campaignId, version, status, day }, index) => ({
            campaignId,
            version,
            status,
            day,
            reservedMillicents: reservedIn(slice, index),
          })),
        }),
      ),
    );
    restored.push(...results);
  }
  for (const one of restored) {
    if (one.status === "rejected") throw one.reason;
    if (one.value === "changed") return false;
  }
  return true;
}

async function readSlice(
  wallets: RestoreCommands,
  {
    known,
    totals,
    wallet,
    slice,
  }: { known: KnownAdvertiser; totals: WalletTotals; wallet: FrozenWallet; slice: number },
): Promise<FoundSlice> {
  const walletId = walletIdOf(known.id, slice);
  const marks = await wallets.findSettledMarks(walletId, marksOf(known, slice));
  if (wallet.epoch === "") return { slice, found: wallet, campaigns: [], marks };
  const campaigns: FoundSlice["campaigns"][number][] = [];
  for (const page of chunks(totals.campaigns, CAMPAIGNS_READ_TOGETHER)) {
    const read = page.map(({ campaignId }) => wallets.readOwnTotals(walletId, campaignId));
    campaigns.push(...(await Promise.all(read)));
  }
  return { slice, found: wallet, campaigns, marks };
}

/**
 * Redis lost nothing: there is no wallet, and no restore was ever begun, or none is known to have ended and nothing was
 * spent. Impressions may be older than the first wallet, as those of the demo are.
 */
function isNew(known: KnownAdvertiser, wallet: FrozenWallet, formerEpoch: number): boolean {
  if (wallet.epoch !== "" || known.verifiedEpoch !== 0) return false;
  return formerEpoch === 0 || known.impressions === 0;
}

/**
 * Its own server proves it, whatever the servers of other slices have lost. But a match that a late charge has yet to take would
 * be charged again.
 */
function hasLostNothing(slice: FoundSlice, known: KnownAdvertiser): boolean {
  const { servedUntilFrozen, heldMillicents, holdsMillicents } = slice.found;
  if (!servedUntilFrozen || heldMillicents !== holdsMillicents) return false;
  if (!isTrustedEpoch(slice.found, known)) return false;
  return known.unsettled !== null && missingLateIds([slice], known).length === 0;
}

/** The campaigns of the advertiser's own wallet, with what kept holds in the slices need. */
function campaignsOfOwnWallet({ campaigns }: WalletTotals, { found, keeps, reservedIn }: KeptSlices) {
  return campaigns.map((campaign, index) => ({
    ...campaign,
    reservedInSlices: new Map(
      found.slice(1).flatMap(({ slice, campaigns: foundCampaigns }) => {
        const heldMillicents = keeps[slice] ? (foundCampaigns[index]?.heldMillicents ?? 0) : 0;
        const reservedMillicents = reservedIn(slice, index);
        return heldMillicents > 0 ? [[slice, { reservedMillicents, heldMillicents }] as const] : [];
      }),
    ),
  }));
}
