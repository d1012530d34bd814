import { join } from "node:path";
import { eventually } from "@diegetic/testing/eventually";
import { isAlive } from "@diegetic/testing/stack";
import { type SecondService, startSecond } from "../topology/second-service.ts";
import { SECOND_MANAGEMENT } from "../topology/world.ts";
import { changeUntilAnswered, deposit } from "../workload/trade.ts";
import type { Advertiser, Campaign } from "../workload/traders.ts";
import { ALL_POSSIBLE_WITHIN_MS, type Fault, type FaultContext, requireCount, runningPid } from "./fault.ts";

const CHANGED_CAMPAIGNS = 4;
const PATIENCE = { timeoutMs: ALL_POSSIBLE_WITHIN_MS, everyMs: 200 };

/** Two management processes publish, restore and answer concurrently; then one of them is killed. */
export function secondManagementFault(): Fault {
  return { name: "two managements, one is killed", track: "services", inject: runTwo };
}

async function runTwo(context: FaultContext): Promise<string> {
  const { world, random } = context;
  const first = await runningPid(world, "management");
  const second = await eventually(() => start(context, first), PATIENCE);
  try {
    const url = second.origin + new URL(world.stack.describe().managementUrl).pathname;
    const answered = await changeBothWays(context, url);
    if (!isAlive(first) || !isAlive(second.pid)) throw new Error("there were no two of them");
    const isFirst = random.chance(0.5);
    if (isFirst) {
      process.kill(first, "SIGKILL");
      await eventually(() => world.stack.pidOf("management") !== first, PATIENCE);
      await changeBothWays(context, url);
    } else {
      await second.stop("SIGKILL");
    }
    const killed = isFirst ? "the first" : "the second";
    return `${requireCount("changes answered by the second", answered)}, killed: ${killed}`;
  } finally {
    await second.stop("SIGTERM");
  }
}

/** Undefined: it could not start, for instance because a store is unavailable. */
function start({ world }: FaultContext, pid: number): Promise<SecondService | undefined> {
  const logFile = join(world.dataDir, "logs", `${SECOND_MANAGEMENT}.log`);
  return startSecond(pid, SECOND_MANAGEMENT, logFile).catch(() => undefined);
}

/**
 * One pauses what the other activates, and the second receives deposits. Returns the number of changes that the second
 * answered.
 */
async function changeBothWays({ market, history, random }: FaultContext, url: string): Promise<number> {
  const atSecond = (advertiser: Advertiser): Advertiser => ({
    ...advertiser,
    client: advertiser.client.at(url),
  });
  const each = async (campaign: Campaign, index: number) => {
    const same = { ...campaign, advertiser: atSecond(campaign.advertiser) };
    const [pausing, activating] = index % 2 === 0 ? [same, campaign] : [campaign, same];
    const paused = await changeUntilAnswered(history, pausing, "pause", null);
    const activated = await changeUntilAnswered(history, activating, "activate", null);
    // 409: the advertiser was faster; only management answers this.
    const { status } = pausing === same ? paused : activated;
    return status !== null && status < 500 ? 1 : 0;
  };
  const [counts] = await Promise.all([
    Promise.all(random.shuffle(market.campaigns).slice(0, CHANGED_CAMPAIGNS).map(each)),
    ...market.advertisers.map((advertiser) => deposit(history, atSecond(advertiser))),
  ]);
  return counts.reduce<number>((sum, count) => sum + count, 0);
}
