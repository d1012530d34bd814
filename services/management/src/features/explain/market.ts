import { randomInt } from "node:crypto";
import { CampaignIndex } from "@diegetic/ad-rules";
import type { SnapshotCampaign, SnapshotPlacement } from "@diegetic/contracts";
import {
  type RedisConnection,
  type SnapshotChange,
  SnapshotFollower,
  SnapshotNotPublished,
} from "@diegetic/hot-state";
import { type Logger, logOutageOrWait, OutageLog, unavailable } from "@diegetic/service-kit";

const CAMPAIGN = "campaign:";
const PLACEMENT = "placement:";

/**
 * The same snapshot that match instances follow: an explanation sees exactly the campaigns and placements of a match
 * request at the same moment.
 */
export class Market {
  readonly #index = new CampaignIndex({ hashSeed: randomInt(2 ** 32) });
  readonly #placements = new Map<string, SnapshotPlacement>();
  readonly #follower: SnapshotFollower;

  constructor(redis: RedisConnection, options: { instance: string; logger: Logger; connection: OutageLog }) {
    this.#follower = new SnapshotFollower(redis, {
      instance: options.instance,
      onChange: (change) => this.#apply(change),
      ...followingLog(options.logger, options.connection),
    });
  }

  start(): void {
    this.#follower.start();
  }

  stop(): Promise<void> {
    return this.#follower.stop();
  }

  /** Throws 503 while the snapshot may be outdated. */
  current(): { index: CampaignIndex; placement(gameId: string): SnapshotPlacement | undefined } {
    if (!this.#follower.isFresh()) {
      throw unavailable("The campaigns in the market are being loaded: try again.");
    }
    return { index: this.#index, placement: (gameId) => this.#placements.get(gameId) };
  }

  #apply({ name, json }: SnapshotChange): void {
    if (name.startsWith(CAMPAIGN)) {
      if (json === null) this.#index.remove(name.slice(CAMPAIGN.length));
      else this.#index.upsert(JSON.parse(json) as SnapshotCampaign);
    } else if (name.startsWith(PLACEMENT)) {
      if (json === null) this.#placements.delete(name.slice(PLACEMENT.length));
      else this.#placements.set(name.slice(PLACEMENT.length), JSON.parse(json) as SnapshotPlacement);
    }
  }
}

function followingLog(logger: Logger, connection: OutageLog) {
  const wait = new OutageLog(logger, {
    failing: "explain waits for the snapshot",
    recovered: "snapshot loaded",
    firstLevel: "info",
  });
  return logOutageOrWait(connection, wait, (error) => error instanceof SnapshotNotPublished);
}
