import type { BillingJob } from "@diegetic/contracts";
import { createBillingWorker } from "@diegetic/hot-state";

type Handle = (job: BillingJob) => Promise<void>;
type Options = Parameters<typeof createBillingWorker>[2];

const DEFAULTS: Options = {
  name: "billing-worker",
  concurrency: 2,
  lockMs: 10_000,
  stalledCheckMs: 2_000,
  onError: () => undefined,
  onLockLost: () => undefined,
  onSuccess: () => undefined,
  onFailed: () => undefined,
};
const DRAIN_MS = 30_000;

/** A worker of the billing queue, paused. */
export function openBillingWorker(url: string, handle: Handle, options: Partial<Options> = {}) {
  const worker = createBillingWorker(url, handle, { ...DEFAULTS, ...options });
  return { ...worker, close: (drainMs = DRAIN_MS) => worker.close(drainMs) };
}

/** A worker of the billing queue that takes jobs. */
export function startBillingWorker(
  url: string,
  handle: Handle,
  options: Partial<Options> = {},
): ReturnType<typeof openBillingWorker> {
  const worker = openBillingWorker(url, handle, options);
  worker.resume();
  return worker;
}
