import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { apiClient } from "@diegetic/testing/api";
import { metric } from "../frame/statistics.ts";
import type { Metric, Run } from "../frame/suite.ts";
import type { Measured } from "../serving/processes.ts";
import { createKey } from "./account.ts";

const IMPORT = fileURLToPath(new URL("../../../scripts/import.mjs", import.meta.url));
const CAMPAIGNS = 10_000;
/** As many as an advertiser may have. */
const CAMPAIGNS_OF_ONE = 5_000;
const MAX_ROUNDS = 3;
const run = promisify(execFile);

/** 10 000 campaigns with a creative each, by `npm run import`: one advertiser after the other, 5 000 each. */
export async function importMetric(
  { directory, quick, rounds }: Run,
  { databaseUrl, product }: { databaseUrl: string; product: Measured },
): Promise<Metric> {
  const count = quick ? CAMPAIGNS / 10 : CAMPAIGNS;
  const file = join(directory, "campaigns.jsonl");
  const lines = Array.from({ length: Math.min(count, CAMPAIGNS_OF_ONE) }, (_, n) =>
    JSON.stringify(campaign(n)),
  );
  writeFileSync(file, lines.join("\n"));
  const url = `http://127.0.0.1:${product.port}/api`;
  const seconds: number[] = [];
  for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round += 1) {
    let taken = 0;
    for (let from = 0; from < count; from += lines.length) {
      const key = `igk_import_${round}_${from}`;
      await createKey(databaseUrl, `acct_import_${round}_${from}`, key);
      const contact_email = `import-${round}-${from}@example.com`;
      await apiClient(url, key).expect(201, "POST", "/register", { company_name: "Ember", contact_email });
      const startedMs = performance.now();
      await run(process.execPath, [IMPORT, file, "--url", url], { env: { ...process.env, KEY: key } });
      taken += performance.now() - startedMs;
    }
    seconds.push(taken / 1_000);
  }
  const label = `${count} campaigns with a creative each, imported`;
  const goal = { atMost: (60 * count) / CAMPAIGNS, aim: (20 * count) / CAMPAIGNS };
  return metric({ id: "import_seconds", label, unit: "s", goal }, seconds);
}

function campaign(n: number): object {
  return {
    name: `Campaign ${n}`,
    budget_cents: 10_000,
    cpm_bid_cents: 500,
    target_tags: ["tavern"],
    creatives: [
      { creative_type: "narrative_hook", brand_name: "Ember", narrative_hook: "It smells of Ember." },
    ],
  };
}
