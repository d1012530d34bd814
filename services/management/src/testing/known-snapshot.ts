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
  has(name: string): boolean {
    return this.#known.has(name);
  }

  campaign(campaignId: string): SnapshotCampaign {
    return JSON.parse(this.#known.get(entityName.campaign(campaignId)) ?? "null");
  }

  placement(gameId: string): SnapshotPlacement {
    return JSON.parse(this.#known.get(entityName.placement(gameId)) ?? "null");
  }
}
