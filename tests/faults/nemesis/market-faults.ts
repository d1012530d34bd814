import { eventually } from "../../helpers/eventually.ts";
import { changeUntilAnswered as change, deposit } from "../workload/trade.ts";
import type { Campaign } from "../workload/traders.ts";
import { type Fault, type FaultContext, requireCount, sleep } from "./fault.ts";

const HELD_WITHIN_MS = 15_000;

/** What advertisers do at the worst moment: while holds of the campaign are out. */
export function marketFaults(): Fault[] {
  return [
    {
      name: "lower a budget below what is held",
      lane: "services",
      inject: async (context) => {
        const { campaign, heldMillicents } = await busiestCampaign(context);
        const totals = await context.world.money.readCampaign(
          campaign.advertiser.advertiserId,
          campaign.campaignId,
        );
        const spentCents = Math.ceil((totals?.spentMillicents ?? 0) / 1_000);
        const lowered = await change(context.history, campaign, "budget", Math.max(1, spentCents));
        await sleep(500);
        await change(context.history, campaign, "budget", spentCents + 200);
        // 422: more was spent meanwhile, and the lower budget had to be refused.
        if (lowered.status !== 200 && lowered.status !== 422) throw new Error(`answered ${lowered.status}`);
        return `${heldMillicents} millicents held, answered ${lowered.status}`;
      },
    },
    {
      name: "pause while holds are out",
      lane: "services",
      inject: async (context) => {
        const { campaign, heldMillicents } = await busiestCampaign(context);
        const { campaigns } = context.market;
        const paused = await Promise.all(
          campaigns.map((each) => change(context.history, each, "pause", null)),
        );
        await sleep(700);
        await Promise.all(campaigns.map((each) => change(context.history, each, "activate", null)));
        requireCount(`held by ${campaign.campaignId}`, heldMillicents);
        return requireCount("campaigns paused", paused.filter(({ status }) => status === 200).length);
      },
    },
    {
      name: "top up while holds are out",
      lane: "services",
      inject: async (context) => {
        const { campaign, heldMillicents } = await busiestCampaign(context);
        await Promise.all(Array.from({ length: 5 }, () => deposit(context.history, campaign.advertiser)));
        return `${heldMillicents} millicents held`;
      },
    },
  ];
}

/** The campaign with the most money in open holds at this moment. */
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
  return eventually(look, { timeoutMs: HELD_WITHIN_MS, everyMs: 50 });
}
