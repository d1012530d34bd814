import { type AccountState, type MoneyCommands, type RestoreClaim, walletIdOf } from "@diegetic/hot-state";

/** For tests in which nobody else restores the wallet. */
export const TEST_CLAIM: RestoreClaim = { by: "test", forMs: 60_000, freezes: "sure" };

/**
 * Creates an advertiser's wallet with its slices, as recovery does for one that Postgres never restored; later calls update its
 * deposits.
 */
export async function openWallet(
  money: MoneyCommands,
  account: AccountState & { spentMillicents?: number; impressions?: number },
): Promise<void> {
  const { spentMillicents = 0, impressions = 0, ...state } = account;
  const found = await money.freezeUnlessLive(account.advertiserId, 0, TEST_CLAIM);
  if (found.state !== "frozen") {
    await money.applyAccount(state);
    return;
  }
  const outcome = await money.restoreWallet({
    ...state,
    walletId: account.advertiserId,
    found,
    epoch: 0,
    forgetMatches: true,
    spentMillicents,
    impressions,
    settledMarks: [],
    campaigns: [],
  });
  if (outcome !== "restored")
    throw new Error(`the wallet of ${account.advertiserId} was not made: ${outcome}`);
  for (let slice = 1; slice < (account.slices ?? 1); slice += 1) await openSlice(money, account, slice);
}

async function openSlice(
  money: MoneyCommands,
  { advertiserId, version }: AccountState,
  slice: number,
): Promise<void> {
  const found = await money.freezeUnlessLive(walletIdOf(advertiserId, slice), 0, TEST_CLAIM);
  if (found.state !== "frozen") throw new Error(`slice ${slice} of ${advertiserId} exists`);
  const nothing = { epoch: 0, forgetMatches: true, settledMarks: [], campaigns: [] };
  await money.restoreSlice({ ...nothing, advertiserId, slice, found, version });
}
