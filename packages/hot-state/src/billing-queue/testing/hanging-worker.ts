/** A worker that takes a job, tells its parent, and never ends it: to be killed. Its argument is the address of Redis. */
import { createBillingWorker } from "../worker.ts";

const [, , url] = process.argv;
if (url === undefined) throw new Error("the address of Redis is missing");
createBillingWorker(
  url,
  (job) => {
    process.send?.(job.records.length);
    return new Promise(() => undefined);
  },
  { name: "hanging", lockMs: 500, stalledCheckMs: 100 },
);
