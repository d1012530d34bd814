/** `recorder.ts URL OUTBOX NAME`: records impressions and prints each id that is accepted. `deliver` as NAME: sends what is left. */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DiegeticClient } from "@diegetic/client";
import { FileOutbox } from "@diegetic/client/file-outbox";

const MAX_IMPRESSIONS = 5_000;
const DELIVERY_TIMEOUT_MS = 120_000;
const [baseUrl = "", path = "", name = ""] = process.argv.slice(2);
const client = new DiegeticClient({ baseUrl, apiKey: "test-key", outbox: new FileOutbox({ path }) });
if (name === "deliver") {
  writeSync(1, `${await client.close({ timeoutMs: DELIVERY_TIMEOUT_MS })}\n`);
} else {
  for (let index = 0; index < MAX_IMPRESSIONS; index += 1) {
    const match = { match_id: `${name}-${index}`, campaign_id: "c", creative_id: "r", game_id: "g" };
    if (client.recordImpression(match)) writeSync(1, `${match.match_id}\n`);
    await sleep(1);
  }
}
