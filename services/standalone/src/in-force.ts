import { type RedisConnection, SnapshotPublisher } from "@diegetic/hot-state";
import { waitUntil } from "@diegetic/local-stores";

/**
 * Whether management publishes a row, and every match instance applies what is published, within the time. Asks Redis:
 * requests would count for a key.
 * @param redis undefined: only whether the row is published
 */
export async function isInForce(
  readRow: () => Promise<{ version: number; publishedVersion: number }>,
  redis: RedisConnection | undefined,
  timeoutMs: number,
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  const isPublished = async () => {
    const { version, publishedVersion } = await readRow();
    return publishedVersion >= version;
  };
  if (!(await waitUntil(() => isPublished().catch(() => false), timeoutMs))) return false;
  if (redis === undefined) return true;
  return new SnapshotPublisher(redis).awaitPublished(deadlineMs - performance.now()).then(
    () => true,
    () => false,
  );
}
