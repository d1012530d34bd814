import { entityName, type SnapshotCampaign, type SnapshotPlacement } from "@diegetic/contracts";
import { type RedisConnection, SnapshotFollower } from "@diegetic/hot-state";

/** What a match instance knows of the snapshot. */
export class KnownSnapshot {
  readonly follower: SnapshotFollower;
  readonly #known = new Map<string, string>();

  private constructor(redis: RedisConnection) {
    this.follower = new SnapshotFollower(redis, {
      instance: "match-test",
      onChange: ({ name, json }) => {
        if (json === null) this.#known.delete(name);
        else this.#known.set(name, json);
      },
    });
  }

  static async follow(redis: RedisConnection): Promise<KnownSnapshot> {
    const snapshot = new KnownSnapshot(redis);
    snapshot.follower.start();
    await snapshot.follower.waitUntilFresh(60_000);
    return snapshot;
  }

  /** @param name from `entityName` */
  async has(name: string): Promise<boolean> {
    return (await this.#served()).has(name);
  }

  async campaign(campaignId: string): Promise<SnapshotCampaign> {
    return JSON.parse((await this.#served()).get(entityName.campaign(campaignId)) ?? "null");
  }

  async placement(gameId: string): Promise<SnapshotPlacement> {
    return JSON.parse((await this.#served()).get(entityName.placement(gameId)) ?? "null");
  }

  /** What it would serve by. On a busy machine its lease may have ended: changes do not wait for it then. */
  async #served(): Promise<ReadonlyMap<string, string>> {
    if (!this.follower.isFresh()) await this.follower.waitUntilFresh(60_000);
    return this.#known;
  }
}
