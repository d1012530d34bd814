import { eventually } from "@diegetic/testing/eventually";
import { hang } from "../topology/signals.ts";
import { SERVICES, type ServiceName, type World } from "../topology/world.ts";
import { type Fault, POSSIBLE_WITHIN_MS, runningPid, sleep } from "./fault.ts";

const RESTARTED_WITHIN_MS = 120_000;
const HOUR_MS = 3_600_000;
/** A service reads two clocks, one after the other, to report its offset. */
const CLOCK_READ_WITHIN_MS = 1_000;

/** Kills, stops and suspends every service, and moves clocks by an hour. */
export function serviceFaults(): Fault[] {
  return [
    ...SERVICES.flatMap((service): Fault[] => [
      {
        name: `kill -9 ${service}`,
        track: "services",
        inject: ({ world }) => signalAndAwaitRestart(world, service, "SIGKILL"),
      },
      {
        name: `SIGTERM ${service}`,
        track: "services",
        inject: ({ world }) => signalAndAwaitRestart(world, service, "SIGTERM"),
      },
      {
        name: `hang ${service}`,
        track: "services",
        inject: async ({ world, random }) => {
          // Some hang for longer than a lease and than a job's lock.
          const forMs = random.pick([300, 1_000, 3_000]);
          await hang(await runningPid(world, service), forMs);
          return `stopped for ${forMs} ms`;
        },
      },
    ]),
    ...(["match-1", "billing", "management"] as const).flatMap((service) =>
      [-HOUR_MS, HOUR_MS].map(
        (offsetMs): Fault => ({
          name: `clock of ${service} an hour ${offsetMs < 0 ? "behind" : "ahead"}`,
          track: "services",
          inject: async ({ world, random }) => {
            world.setServiceClock(service, offsetMs);
            const isOff = () => Math.abs(world.serviceClockOffset(service) - offsetMs) < CLOCK_READ_WITHIN_MS;
            await eventually(isOff, { timeoutMs: POSSIBLE_WITHIN_MS });
            await sleep(random.integer(1_000, 2_500));
            world.setServiceClock(service, 0);
            return `its Date was ${offsetMs} ms off`;
          },
        }),
      ),
    ),
  ];
}

async function signalAndAwaitRestart(
  world: World,
  service: ServiceName,
  signal: NodeJS.Signals,
): Promise<string> {
  const pid = await runningPid(world, service);
  process.kill(pid, signal);
  await eventually(() => world.stack.pidOf(service) !== pid, { timeoutMs: RESTARTED_WITHIN_MS });
  return `pid ${pid} → ${world.stack.pidOf(service)}`;
}
