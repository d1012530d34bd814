import pg from "pg";

/** A write on a server that only allows reads, such as the former primary after a failover. */
export const READ_ONLY_SQL_STATE = "25006";

/** What `pg` sends at the start of a session; its types leave the method out. */
declare module "pg" {
  interface ClientBase {
    getStartupConf(): Record<string, string>;
  }
}

/**
 * The client of every pool, with an error listener. When the server ends, each connection emits an error, even one just
 * taken out of the pool, which the pool no longer listens to; an error without a listener would end the process. The
 * next statement on the connection rejects, so callers still learn of the failure.
 *
 * Ends its connection to a read-only server after the failed write, so that the pool opens another one, which reaches the
 * new primary.
 *
 * Its sessions are in UTC and read dates in ISO 8601, whatever the server's settings: Prisma sends and reads times without an
 * offset.
 */
export class PoolClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on("error", () => {});
    this.connection.on("errorMessage", ({ code }: pg.DatabaseError) => {
      if (code === READ_ONLY_SQL_STATE) void this.end();
    });
  }

  /** As parameters of their own: PgBouncer keeps these for each session, and refuses `options`. */
  override getStartupConf(): Record<string, string> {
    return { ...super.getStartupConf(), TimeZone: "UTC", DateStyle: "ISO" };
  }
}
