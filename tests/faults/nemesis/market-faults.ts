import { eventually } from "@diegetic/testing/eventually";
import { whileHung } from "../topology/signals.ts";
import { CATEGORIES } from "../workload/market.ts";
import { askForMatch } from "../workload/players.ts";
import { divideWallet, MAX_SLICES, readWallets } from "../workload/slices.ts";
import { changeUntilAnswered as change, deposit } from "../workload/trade.ts";
import type { Campaign } from "../workload/traders.ts";
import {
  ALL_POSSIBLE_WITHIN_MS,
  type Fault,
  type FaultContext,
  POSSIBLE_WITHIN_MS,
  requireCount,
  runningPid,
  sleep,
} from "./fault.ts";

const WAITING_PLAYERS = 12;
const MAX_ATTEMPTS = 5;

/** Changes by advertisers at the worst time: while holds of the campaign are open. */
export function marketFaults(): Fault[] {
  return [
    {
      name: "lower a budget below what is held",
      track: "services",
      inject: async (context) => {
        for (let attempt = 1; ; attempt += 1) {
          const { heldMillicents, status } = await lowerBudget(context);
          // 422: more was spent meanwhile, so the lower budget had to be refused.
          if (status !== 200 && status !== 422) throw new Error(`answered ${status}`);
          if (status === 200 || attempt === MAX_ATTEMPTS) {
            return `${heldMillicents} millicents held, answered ${status} to attempt ${attempt}`;
          }
        }
      },
    },
    {
      name: "pause while holds are out",
      track: "services",
      inject: async (context) => {
        // A pause without an answer takes effect at an unknown time.
        for (let attempt = 1; ; attempt += 1) {
          const paused = await pauseAll(context);
          if (paused > 0 || attempt === MAX_ATTEMPTS) return requireCount("campaigns paused", paused);
        }
      },
    },
    {
      name: "pause while an instance hangs",
      track: "services",
      inject: pauseWhileHanging,
    },
    {
      name: "top up while holds are out",
      track: "services",
      inject: async (context) => {
        const { campaign, heldMillicents } = await busiestCampaign(context);
        await Promise.all(Array.from({ length: 5 }, () => deposit(context.history, campaign.advertiser)));
        return `${heldMillicents} millicents held`;
      },
    },
    { name: "divide a wallet", track: "services", inject: divide },
  ];
}

/** Lowers it to the current spending for a moment: no further hold fits. */
async function lowerBudget(
  context: FaultContext,
): Promise<{ heldMillicents: number; status: number | null }> {
  const { history, world } = context;
  const { campaign, heldMillicents } = await busiestCampaign(context);
  const totals = await world.money.readCampaign(campaign.advertiser.advertiserId, campaign.campaignId);
  const spentCents = Math.ceil((totals?.spentMillicents ?? 0) / 1_000);
  const { status } = await change(history, campaign, "budget", Math.max(1, spentCents));
  if (status === 200) await sleep(500);
  await change(history, campaign, "budget", spentCents + 200);
  return { heldMillicents, status };
}

/** Returns how many pauses were answered while holds were open. */
async function pauseAll(context: FaultContext): Promise<number> {
  const { history, market } = context;
  await busiestCampaign(context);
  const paused = await Promise.all(market.campaigns.map((each) => change(history, each, "pause", null)));
  await sleep(700);
  await Promise.all(market.campaigns.map((each) => change(history, each, "activate", null)));
  return paused.filter(({ status }) => status === 200).length;
}

/**
 * Requests sent after the pause was answered wait for a suspended instance that does not know about it, and are
 * processed when it resumes.
 */
async function pauseWhileHanging(context: FaultContext): Promise<string> {
  const { world, market, history, random } = context;
  const [name, url] = random.chance(0.5)
    ? (["match-1", world.stack.describe().matchUrls[0]] as const)
    : (["match-2", world.stack.describe().matchUrls[1]] as const);
  const developer = market.developer.at(url ?? "");
  try {
    const requests = await whileHung(await runningPid(world, name), async () => {
      await Promise.all(market.campaigns.map((each) => change(history, each, "pause", null)));
      const visit = random.integer(0, 1_000_000_000);
      const waiting = Array.from({ length: WAITING_PLAYERS }, (_, index) =>
        askForMatch(developer, history, {
          game: random.pick(market.games),
          category: CATEGORIES[index % CATEGORIES.length] ?? "",
          userId: `waiting-${visit}-${index}`,
          sessionId: "waiting",
        }),
      );
      await sleep(100);
      return waiting;
    });
    await Promise.all(requests);
    return `${requests.length} players waited`;
  } finally {
    await Promise.all(market.campaigns.map((each) => change(history, each, "activate", null)));
  }
}

/** The wallet gets one more slice while it is used. One advertiser keeps a wallet without slices. */
async function divide({ world, market, history, random }: FaultContext): Promise<string> {
  const { advertiserId } = random.pick(market.advertisers.slice(1));
  const wallets = await eventually(() => readWallets(world), { timeoutMs: POSSIBLE_WITHIN_MS });
  const slices = wallets.find((one) => one.advertiserId === advertiserId)?.walletIds.length ?? 0;
  if (slices === MAX_SLICES) return `it has ${slices} slices already`;
  const division = { advertiserId, startedMs: Date.now(), endedMs: Number.POSITIVE_INFINITY };
  history.divisions.push(division);
  await divideWallet(world, advertiserId, { slices: slices + 1, timeoutMs: ALL_POSSIBLE_WITHIN_MS });
  division.endedMs = Date.now();
  return `into ${slices + 1} slices`;
}

/** The campaign with the most money in open holds. */
async function busiestCampaign({
  world,
  market,
}: FaultContext): Promise<{ campaign: Campaign; heldMillicents: number }> {
  const look = async () => {
    const found = await Promise.all(
      market.campaigns.map(async (campaign) => {
        const { advertiserId } = campaign.advertiser;
        const totals = await world.money.readCampaign(advertiserId, campaign.campaignId);
        return { campaign, heldMillicents: totals?.heldMillicents ?? 0 };
      }),
    );
    const [busiest] = found.sort((a, b) => b.heldMillicents - a.heldMillicents);
    return busiest !== undefined && busiest.heldMillicents > 0 ? busiest : undefined;
  };
  return eventually(look, { timeoutMs: POSSIBLE_WITHIN_MS, everyMs: 50 });
}
