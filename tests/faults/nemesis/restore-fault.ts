import { eventually } from "@diegetic/testing/eventually";
import type { World } from "../topology/world.ts";
import { readWallets } from "../workload/slices.ts";
import { change } from "../workload/trade.ts";
import type { Campaign } from "../workload/traders.ts";
import { ALL_POSSIBLE_WITHIN_MS, type Fault, type FaultContext, sleep } from "./fault.ts";

/** Not the replication id of any server: scripts treat the wallet as one from before a promotion. */
const OTHER_LINEAGE = "faults";
/** Time from the commit of a change until it reaches Redis. Other instances take over a restore after three seconds. */
const APPLIED_WITHIN_MS = 300;
/** Interval in which the settings in force are sampled. */
const SAMPLED_WITHIN_MS = 700;
const PATIENCE = { timeoutMs: ALL_POSSIBLE_WITHIN_MS, everyMs: 10 };

/** A change commits after a restore of its advertiser's wallet has read the rows, and before the restore writes to Redis. */
export function restoreFault(): Fault {
  return {
    name: "change while a state is restored",
    // Nothing else may freeze the wallet meanwhile.
    track: "stores",
    replacesModules: true,
    inject: async (context) => {
      const startedMs = performance.now();
      for (let attempt = 1; performance.now() - startedMs < ALL_POSSIBLE_WITHIN_MS; attempt += 1) {
        const status = await changeWhileRestored(context, context.random.pick(context.market.campaigns));
        // 422: more than the new budget was spent meanwhile. 503: a killed management has not been restarted yet.
        if (status === 200) return `answered 200 to attempt ${attempt}`;
      }
      throw new Error(`no change was answered 200 in ${ALL_POSSIBLE_WITHIN_MS} ms`);
    },
  };
}

async function changeWhileRestored(context: FaultContext, campaign: Campaign): Promise<number | null> {
  const { world, history } = context;
  const { advertiserId } = campaign.advertiser;
  // Whichever slice must be verified, all are restored.
  const account = await pickAccount(context, advertiserId);
  const replicationId = () => world.directRedis.hget(account, "lineage");
  await eventually(replicationId, PATIENCE);
  world.holdRestores(advertiserId);
  try {
    await world.directRedis.hset(account, "lineage", OTHER_LINEAGE);
    await eventually(() => world.isRestoreHeld(), PATIENCE);
    const before = await eventually(() => readRow(world, campaign), PATIENCE);
    const changing = change(history, campaign, "budget", before.budget + 1);
    const isCommitted = async () => (await readRow(world, campaign)).version > before.version;
    await Promise.race([eventually(isCommitted, PATIENCE).catch(() => undefined), changing]);
    await sleep(APPLIED_WITHIN_MS);
    world.letRestoresGo();
    const { status } = await changing;
    await eventually(async () => (await replicationId()) !== OTHER_LINEAGE, PATIENCE);
    await sleep(SAMPLED_WITHIN_MS);
    return status;
  } finally {
    world.letRestoresGo();
  }
}

/** The key of one of the advertiser's wallets. */
async function pickAccount({ world, random }: FaultContext, advertiserId: string): Promise<string> {
  const wallets = await readWallets(world);
  const own = wallets.find((one) => one.advertiserId === advertiserId);
  return `{${random.pick(own?.walletIds ?? [advertiserId])}}:account`;
}

async function readRow(world: World, { campaignId }: Campaign): Promise<{ version: number; budget: number }> {
  const [row] = await world.query<{ version: number; budget_cents: number }>(
    "SELECT version, budget_cents FROM campaigns WHERE id = $1",
    [campaignId],
  );
  if (row === undefined) throw new Error(`${campaignId} is not in Postgres`);
  return { version: row.version, budget: row.budget_cents };
}
