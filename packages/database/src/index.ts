export { createDatabase, type Database, type DatabaseOptions, type Transaction } from "./database.ts";
export { dateOfDay, ensureImpressionPartition, utcDay } from "./days.ts";
export * from "./errors.ts";
export type * from "./generated/client.ts";
export { Prisma } from "./generated/client.ts";
export * from "./generated/enums.ts";
export { safeInteger } from "./integers.ts";
export { type MigrateOptions, migrate } from "./migrate.ts";
export { inTransaction, type TransactionOptions } from "./transaction.ts";
