import { isLongForm } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";
import { fewOfEachKind } from "./nemesis/nemesis.ts";
import { describeChecks, failures } from "./report.ts";
import { runSuite } from "./suite.ts";
import type { Variant } from "./topology/world.ts";

const SEED = Number(process.env.FAULTS_SEED ?? 1);
const TIMEOUT_MS = 480_000;

/** Variant, duration in milliseconds, and parts of the names of its faults. */
const SHORT: [Variant, number, string[]][] = [
  [
    "single",
    55_000,
    [
      "pause while holds are out",
      "kill -9 redis",
      "kill -9 billing",
      "kill -9 match",
      "drop replies of redis",
    ],
  ],
];

/** As long as each fault once takes. A slow machine gets through fewer of them. */
const LONG: [Variant, number, string[]][] = [
  ["single", 55_000, []],
  // What is different on a cluster; the rest has happened on a single Redis.
  [
    "cluster",
    35_000,
    [
      ...[
        "reshard",
        "while a wallet moves",
        "kill -9 redis",
        "flush redis",
        "older redis",
        "drop replies of redis",
      ],
      ...["kill -9 billing", "kill -9 match", "jobs twice", "wipe", "pause"],
    ],
  ],
];

/** Longer still: npm run faults -- --seeds 1..20 --minutes 1 */
describe("money and caps under faults, in short", () => {
  it.each(isLongForm ? LONG : SHORT)(
    "everything holds on a %s Redis",
    async (variant, durationMs, names) => {
      const lines: string[] = [];
      const report = await runSuite({
        seed: SEED,
        variant,
        durationMs,
        rounds: 1,
        pick: (faults, random) =>
          fewOfEachKind(faults, random).filter(
            ({ name }) => names.length === 0 || names.some((part) => name.includes(part)),
          ),
        say: (line) => lines.push(line),
      });
      const failed = failures(report);
      if (failed.length > 0) lines.push(describeChecks(report));
      expect({ failed, lines: failed.length > 0 ? lines : [] }).toEqual({ failed: [], lines: [] });
    },
    TIMEOUT_MS,
  );
});
