import { setTimeout as sleep } from "node:timers/promises";
import type { CampaignChange, DepositOperation, History } from "../history.ts";
import type { Random } from "../random.ts";
import type { Advertiser, Campaign, Market } from "./traders.ts";

const PAUSE_MS = 250;
const MAX_ATTEMPTS = 200;
const REPEATED_EVERY = 4;

/** Below this balance an advertiser deposits, so that balances stay tight. */
const LOW_BALANCE_CENTS = 100;
const LEAST_DEPOSIT_CENTS = 100;

export interface TradeOptions {
  market: Market;
  history: History;
  random: Random;
  signal: AbortSignal;
}

/** Advertisers who deposit, change budgets and caps, pause and activate, until `signal`. */
export async function runAdvertisers(options: TradeOptions): Promise<void> {
  await Promise.all(
    options.market.advertisers.map(async (advertiser, index) => {
      const random = options.random.fork(`advertiser ${index}`);
      while (!options.signal.aborted) {
        await act(options, random, advertiser);
        await sleep(PAUSE_MS * (0.5 + random.next()));
      }
    }),
  );
}

async function act({ market, history }: TradeOptions, random: Random, advertiser: Advertiser): Promise<void> {
  const campaign = random.pick(market.campaigns.filter((each) => each.advertiser === advertiser));
  const draw = random.next();
  if (draw < 0.4) {
    const profile = await advertiser.client.call("GET", "/profile");
    if (profile.status === 200 && profile.body.balance_cents < LOW_BALANCE_CENTS) {
      return deposit(history, advertiser);
    }
  }
  const found = await advertiser.client.call("GET", `/campaigns/${campaign.campaignId}`);
  if (found.status !== 200) return;
  const { spent_cents, daily_cap_cents, budget_cents, status } = found.body;
  if (status === "paused") return void (await change(history, campaign, "activate", null));
  if (draw < 0.55) return void (await change(history, campaign, "pause", null));
  if (draw < 0.75 && campaign.category === "tea") {
    // Sometimes below what is held, and sometimes slightly below what is spent, which must be refused.
    const cents = spent_cents + random.integer(-1, 60);
    return void (await change(history, campaign, "budget", Math.max(1, cents)));
  }
  if (campaign.category === "sea" && daily_cap_cents !== null) {
    await change(history, campaign, "daily-cap", daily_cap_cents + random.integer(5, 40));
  } else if (campaign.category === "sky" && budget_cents > spent_cents + 1_000) {
    await change(history, campaign, "budget", spent_cents + random.integer(1, 500));
  } else {
    await change(history, campaign, "budget", spent_cents + random.integer(20, 200));
  }
}

/** Makes one deposit, with as many retries as needed. */
export async function deposit(history: History, advertiser: Advertiser): Promise<void> {
  const { advertiserId } = advertiser;
  const earlier = history.deposits.filter((operation) => operation.advertiserId === advertiserId).length;
  const operation: DepositOperation = {
    advertiserId,
    amountCents: LEAST_DEPOSIT_CENTS + earlier,
    attempts: [],
    done: false,
  };
  history.deposits.push(operation);
  const headers = { "Idempotency-Key": `deposit ${operation.amountCents}` };
  const body = { amount_cents: operation.amountCents };
  const attempt = async () => {
    const answer = await advertiser.client.call("POST", "/deposit", body, headers);
    const { startedMs, endedMs, status, keyId } = answer;
    operation.attempts.push({ startedMs, endedMs, status, keyId });
    operation.done ||= status === 200;
  };
  for (let count = 1; count <= MAX_ATTEMPTS && !operation.done; count += 1) {
    await attempt();
    if (!operation.done) await sleep(250);
  }
  // Some retry an answered request, as if their records were lost.
  if (operation.done && earlier % REPEATED_EVERY === 0) await attempt();
}

/** Changes a campaign, with retries until it is answered. */
export async function changeUntilAnswered(
  history: History,
  campaign: Campaign,
  kind: CampaignChange["kind"],
  cents: number | null,
): Promise<CampaignChange> {
  for (let attempt = 1; ; attempt += 1) {
    const changed = await change(history, campaign, kind, cents);
    const { status } = changed;
    if (attempt === MAX_ATTEMPTS || (status !== null && status < 500)) return changed;
    await sleep(100);
  }
}

/** Changes a campaign once; an unanswered change stays unknown. */
export async function change(
  history: History,
  campaign: Campaign,
  kind: CampaignChange["kind"],
  cents: number | null,
): Promise<CampaignChange> {
  const { campaignId, advertiser } = campaign;
  const path = `/campaigns/${campaignId}`;
  const noted: CampaignChange = {
    campaignId,
    kind,
    cents,
    startedMs: Date.now(),
    endedMs: Number.POSITIVE_INFINITY,
    status: null,
  };
  history.changes.push(noted);
  const answer =
    kind === "budget" || kind === "daily-cap"
      ? await advertiser.client.call("PATCH", path, {
          [kind === "budget" ? "budget_cents" : "daily_cap_cents"]: cents,
        })
      : await advertiser.client.call("POST", `${path}/${kind}`);
  noted.status = answer.status;
  noted.endedMs = answer.endedMs;
  return noted;
}
