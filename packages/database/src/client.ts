import pg from "pg";

/**
 * The client of every pool. A server that ends says so on each connection, also on one that somebody has just taken out of the
 * pool and not yet used: the pool has stopped listening then, and an error without a listener ends the process. The next
 * statement on the connection rejects, which tells those who need to know.
 */
export class PoolClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on("error", () => {});
  }
}
