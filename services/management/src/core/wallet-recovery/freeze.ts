import type { ImpressionRecord } from "@diegetic/contracts";
import { type FrozenWallet, type MoneyCommands, type RestoreClaim, walletIds } from "@diegetic/hot-state";
import type { WalletRow } from "./load.ts";

const OUTBOX_PAGE = 500;
/** Billing drains a longer outbox first; a frozen wallet does not prevent that. */
const MAX_OUTBOX_LENGTH = 10_000;

/** A wallet that was frozen with its slices. */
export interface FoundWallet {
  /** The advertiser's own first. */
  slices: [FrozenWallet, ...FrozenWallet[]];
  /** From Postgres, when the wallet was checked. */
  row: WalletRow;
  /** Of all slices. */
  outbox: ImpressionRecord[];
}

type Freezing = ReturnType<MoneyCommands["freezeUnlessLive"]>;

/**
 * Freezes a wallet with all its slices if one of them may not serve. Of several instances the one goes on that has the claim of
 * the first that may not. `isSure`: also one that is ahead of `row`, which was read again.
 */
export async function freezeSlices(
  wallets: Pick<MoneyCommands, "freezeUnlessLive">,
  advertiserId: string,
  { row, claim, isSure }: { row: WalletRow; claim: Omit<RestoreClaim, "freezes">; isSure: boolean },
): Promise<FoundWallet["slices"] | "live" | "with others"> {
  const freeze = (walletId: string, freezes?: "sure" | "always") =>
    wallets.freezeUnlessLive(walletId, row.epoch, { ...claim, freezes });
  const others = walletIds(advertiserId, row.slices).slice(1);
  let own = await freeze(advertiserId, isSure ? "sure" : undefined);
  if (own.state === "live") {
    const doubted = await firstDoubted(others, freeze);
    if (doubted === undefined) return "live";
    if (doubted.state !== "frozen") return "with others";
    own = await freeze(advertiserId, "always");
  }
  if (own.state !== "frozen") return "with others";
  const found = await Promise.all(others.map((walletId) => freeze(walletId, "always")));
  const frozen = found.filter((one) => one.state === "frozen");
  return frozen.length < others.length ? "with others" : [own, ...frozen];
}

/** The first of these wallets that may not serve; undefined: none. */
async function firstDoubted(
  ids: readonly string[],
  freeze: (walletId: string) => Freezing,
): Promise<Awaited<Freezing> | undefined> {
  for (const walletId of ids) {
    const wallet = await freeze(walletId);
    if (wallet.state !== "live") return wallet;
  }
  return undefined;
}

/** The records in the outboxes of these wallets. Null: too many to count; billing has to write them first. */
export async function readOutboxes(
  wallets: Pick<MoneyCommands, "listOutbox">,
  ids: readonly string[],
): Promise<ImpressionRecord[] | null> {
  const records: ImpressionRecord[] = [];
  for (const walletId of ids) {
    records.push(...(await readOutbox(wallets, walletId)));
    if (records.length > MAX_OUTBOX_LENGTH) return null;
  }
  return records;
}

/** Ends after the page that is too many. */
async function readOutbox(
  wallets: Pick<MoneyCommands, "listOutbox">,
  walletId: string,
): Promise<ImpressionRecord[]> {
  const records = new Map<string, ImpressionRecord>();
  let cursor: string | undefined;
  do {
    const page = await wallets.listOutbox(walletId, OUTBOX_PAGE, cursor);
    for (const record of page.items) records.set(record.impression_id, record);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined && records.size <= MAX_OUTBOX_LENGTH);
  return [...records.values()];
}
