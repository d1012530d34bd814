import { PrismaPg } from "@prisma/adapter-pg";
import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import pg from "pg";

/**
 * Prisma's adapter splits a script at every semicolon, even inside function bodies and comments. This one sends the whole
 * script, which also makes a migration atomic: Postgres runs it as one transaction.
 */
export class MigrationAdapterFactory extends PrismaPg {
  override async connect(): ReturnType<PrismaPg["connect"]> {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      try {
        await adapter.underlyingDriver().query(script);
      } catch (error) {
        throw toDriverError(error);
      }
    };
    return adapter;
  }
}

function toDriverError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  return new DriverAdapterError({
    kind: "postgres",
    code: error.code ?? "N/A",
    severity: error.severity ?? "ERROR",
    message: error.message,
    detail: error.detail,
    column: error.column,
    hint: error.hint,
  });
}
