/**
 * Everything that owns connections of Redis, in a process of its own: only there an error that nobody listens to ends the process
 * or is printed. Its argument is the address of Redis. Answers each message with whether all of them work.
 */
import type { ImpressionRecord } from "@diegetic/contracts";
import {
  connectRedis,
  createBillingProducer,
  SnapshotFollower,
  SnapshotPublisher,
} from "@diegetic/hot-state";
import { startBillingWorker } from "@diegetic/testing/billing-worker";

const [, , url] = process.argv;
if (url === undefined) throw new Error("the address of Redis is missing");
const JOB_WITHIN_MS = 2_000;

const redis = connectRedis(url, { name: "users" });
const publisher = new SnapshotPublisher(redis);
let heard = 0;
const follower = new SnapshotFollower(redis, {
  instance: "test",
  onChange: () => {
    heard += 1;
  },
});
follower.start();
let take: () => void = () => undefined;
const handle = async () => take();
// A job whose worker has lost its connection comes again soon.
startBillingWorker(url, handle, { lockMs: 500, stalledCheckMs: 250 });
const producer = createBillingProducer(url);
let version = 0;

async function follows(): Promise<boolean> {
  version += 1;
  const before = heard;
  await publisher.rebuild([[{ name: "api_key:one", rowVersion: version, json: String(version) }]]);
  await follower.catchUp();
  return heard > before;
}

async function delivers(): Promise<boolean> {
  const taken = new Promise<boolean>((resolve) => {
    take = () => resolve(true);
  });
  await producer.add([{ impression_id: `imp_${version}` } as ImpressionRecord]);
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, JOB_WITHIN_MS, false));
  return Promise.race([taken, late]);
}

process.on("message", async () => {
  const answers = await Promise.allSettled([redis.get("a key"), follows(), delivers()]);
  process.send?.(answers.every((answer) => answer.status === "fulfilled" && answer.value !== false));
});
process.send?.("ready");
