import { PrismaPg } from "@prisma/adapter-pg";
import { type Prisma, PrismaClient } from "./generated/client.ts";
import { type PoolOptions, poolConfig, TRANSACTION_LIMITS } from "./pool.ts";
import { translateError } from "./translate-error.ts";

/** The Prisma client; its calls reject with the classes of errors.ts. Close it by `$disconnect()`. */
export type Database = Omit<PrismaClient, "$on" | "$extends">;
/** The client inside `inTransaction`. */
export type Transaction = Prisma.TransactionClient;

const DEFAULT_POOL_SIZE = 10;

/** Opens a pool of connections to `postgres://…` lazily: the first call rejects when the database is unavailable. */
export function createDatabase(url: string, options: Partial<PoolOptions> = {}): Database {
  const adapter = new PrismaPg(
    poolConfig(url, { poolSize: DEFAULT_POOL_SIZE, ...options }),
    // The pool replaces connections that break while idle; without a listener the process would end.
    { onPoolError: () => {}, onConnectionError: () => {} },
  );
  const client = new PrismaClient({ adapter, transactionOptions: TRANSACTION_LIMITS });
  return client.$extends({
    query: {
      async $allOperations({ args, query }) {
        try {
          return await query(args);
        } catch (error) {
          throw translateError(error);
        }
      },
    },
  }) as unknown as Database;
}

/**
 * Rejects when Postgres is unavailable or only allows reads, as a standby after a failover. Changes nothing; a connection to
 * such a server is replaced, as after any other write.
 */
export async function requireWritable(database: Pick<Database, "$executeRaw">): Promise<void> {
  await database.$executeRaw`UPDATE installation SET id = id WHERE false`;
}
