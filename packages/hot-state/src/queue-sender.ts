import { Queue } from "bullmq";
import { connectRedis } from "./connection.ts";
import type { InstallationClaim } from "./installation/installation-claim.ts";

export interface ConnectionEvents {
  /** Name in CLIENT LIST. */
  name: string;
  onError: (error: Error) => void;
  /** Called for every established connection. */
  onSuccess: () => void;
  /** Guards the connection. Default: any Redis is used. */
  claim?: Pick<InstallationClaim, "guard">;
}

export interface QueueSenderOptions extends ConnectionEvents {
  queue: { name: string; prefix: string };
  /**
   * How often a job is tried, without pauses: BullMQ computes the end of a pause by the worker's clock, and one that is
   * an hour ahead would delay the job by an hour.
   */
  attempts: number;
}

/** Opens the sending end of a queue on its own connection. */
export function openQueueSender<Job>(url: string, options: QueueSenderOptions) {
  const connection = connectRedis(url, { name: options.name });
  options.claim?.guard(connection);
  const queue = new Queue<Job>(options.queue.name, {
    connection,
    prefix: options.queue.prefix,
    // Without these, a queue opened while Redis is unavailable never recovers.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    skipMetasUpdate: true,
    defaultJobOptions: {
      attempts: options.attempts,
      removeOnComplete: true,
      // A job kept after its last attempt would block its records from being queued again.
      removeOnFail: true,
    },
  });
  queue.on("error", options.onError);
  connection.on("ready", options.onSuccess);
  return {
    queue,
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
