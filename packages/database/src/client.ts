import pg from "pg";

/**
 * The client of every pool, with an error listener. When the server ends, each connection emits an error, even one just
 * taken out of the pool, which the pool no longer listens to; an error without a listener would end the process. The
 * next statement on the connection rejects, so callers still learn of the failure.
 */
export class PoolClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on("error", () => {});
  }
}
