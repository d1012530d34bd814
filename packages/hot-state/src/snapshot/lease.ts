/**
 * How long a follower may serve after a renewal of its lease, in milliseconds: the maximum that a change waits for a
 * crashed or suspended instance. Publishers and followers of one snapshot must use the same value.
 */
export const SNAPSHOT_LEASE_MS = 2_000;

/** A published change was lost with the snapshot (flushed, or restored from older data): rebuild, then publish again. */
export class SnapshotLostError extends Error {
  override name = "SnapshotLostError";
}

/** Some follower may still serve the state before the version. */
export class NotPropagatedError extends Error {
  override name = "NotPropagatedError";
}

/**
 * Management has not published the snapshot since the Redis server started or lost its data. Normal at every start;
 * ends when management runs and reaches Postgres.
 */
export class SnapshotNotPublished extends Error {
  override name = "SnapshotNotPublished";

  constructor() {
    super("the snapshot is not published yet");
  }
}

/**
 * The lease of a request expired by the clock of Redis: the process was suspended, and its data may be outdated.
 * Resolved by the next renewal.
 */
export class LeaseExpired extends Error {
  override name = "LeaseExpired";
  constructor() {
    super("the lease of the snapshot has expired");
  }
}
