/**
 * A worker that takes a job, reports it to its parent, and never finishes it; the parent kills it, or sends a message
 * that closes it. Its argument is Redis' address.
 */
import { startBillingWorker } from "@diegetic/testing/billing-worker";

const [, , url] = process.argv;
if (url === undefined) throw new Error("the address of Redis is missing");
const worker = startBillingWorker(
  url,
  (job) => {
    process.send?.(job.records.length);
    return new Promise(() => undefined);
  },
  { name: "hanging", lockMs: 500, stalledCheckMs: 100 },
);
process.once("message", async () => {
  await worker.close(100);
  process.disconnect();
});
