import { RedisUnusable } from "../redis-unusable.ts";

/** Redis belongs to another installation than the database. */
export class ForeignRedis extends RedisUnusable {
  constructor(owner: string, own: string) {
    super(
      `The Redis at REDIS_URL belongs to another installation (${owner}) than the database at DATABASE_URL (${own}): ` +
        "correct the wrong one, or give REDIS_URL another Redis or another database number; a Redis whose installation is gone " +
        'for good has to be emptied first (see "One Redis, one installation" in docs/operating.md).',
    );
    this.name = "ForeignRedis";
  }
}
