import type { AccountState, MoneyCommands } from "@diegetic/hot-state";

/** Creates an advertiser's wallet, as recovery does for one that Postgres never restored; later calls update its deposits. */
export async function openWallet(
  money: MoneyCommands,
  account: AccountState & { spentMillicents?: number; impressions?: number },
): Promise<void> {
  const { spentMillicents = 0, impressions = 0, ...state } = account;
  const found = await money.freezeUnlessLive(account.advertiserId, 0);
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
}
