import type { Fault, FaultContext } from "./fault.ts";
import { sleep } from "./fault.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Moves the scripts' clock: their time.lua is replaced by one that adds an offset to Redis TIME (see
 * sabotage/preload.mjs). The clock only moves forward: moving back would extend all holds.
 */
export function timeFaults(): Fault[] {
  return [
    {
      name: "clock of Redis an hour ahead",
      track: "stores",
      variants: ["single"],
      inject: async (context) => {
        const { world, random } = context;
        await breakingSessions(context, () => world.setRedisClock(HOUR_MS));
        const forMs = random.integer(2_000, 4_000);
        await sleep(forMs);
        // The others follow, so that time never goes back.
        await world.passTime(HOUR_MS);
        return `for ${forMs} ms, then everybody`;
      },
    },
    {
      name: "day rollover",
      track: "stores",
      variants: ["single"],
      inject: async (context) => {
        const { world } = context;
        const nowMs = world.nowMs();
        const midnightMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
        // One second before midnight: matches of one day are charged on the next.
        await breakingSessions(context, () => world.passTime(midnightMs - 1_000 - nowMs));
        await sleep(2_500);
        if (world.nowMs() < midnightMs) throw new Error("it is still the same day");
        return `${new Date(midnightMs).toISOString()} has passed`;
      },
    },
  ];
}

async function breakingSessions({ history }: FaultContext, move: () => Promise<void>): Promise<void> {
  history.sessionBreaksMs.push(Date.now());
  await move();
  history.sessionBreaksMs.push(Date.now());
}
