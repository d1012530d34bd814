/**
 * How long a follower may serve after a renewal of its lease, in milliseconds: the longest that a change waits for an
 * instance that has died or frozen. Publishers and followers of one snapshot must agree on it.
 */
export const SNAPSHOT_LEASE_MS = 2_000;

/** A published change was lost with the snapshot (flushed, or restored from older data): rebuild, then publish again. */
export class SnapshotLostError extends Error {
  override name = "SnapshotLostError";
}

/** Some follower may still serve what was true before the version. */
export class NotPropagatedError extends Error {
  override name = "NotPropagatedError";
}

/**
 * Management has not published the snapshot since the server of Redis started, or lost its data. A plain condition at every
 * start, that ends by itself when management runs and reaches Postgres.
 */
export class SnapshotNotPublished extends Error {
  override name = "SnapshotNotPublished";

  constructor() {
    super("the snapshot is not published yet");
  }
}

/**
 * The lease under which a request was decided has expired by the clock of Redis: the process was suspended, and what it knows
 * may no longer be true. It knows better as soon as it has renewed its lease.
 */
export class LeaseExpired extends Error {
  override name = "LeaseExpired";
  constructor() {
    super("the lease of the snapshot has expired");
  }
}
