/**
 * Expected failures of the database. Services test for these classes and need no error codes of Prisma or Postgres. All
 * other errors are bugs and keep their own class.
 */
export class DatabaseError extends Error {
  override name = "DatabaseError";
}

/** A row with the same key exists already. */
export class UniqueViolation extends DatabaseError {
  override name = "UniqueViolation";
  /** Name of the index, such as `advertisers_contact_email_lower_key`. */
  readonly constraint: string;

  constructor(constraint: string, options?: ErrorOptions) {
    super(`a row with the same key exists already (${constraint})`, options);
    this.constraint = constraint;
  }
}

/** The data violate an invariant or a limit of the schema; repeating the write does not help. */
export class ConstraintViolation extends DatabaseError {
  override name = "ConstraintViolation";
  /** Name of the violated constraint, if any, such as `campaigns_money_check`. */
  readonly constraint: string | null;

  constructor(message: string, constraint: string | null, options?: ErrorOptions) {
    super(message, options);
    this.constraint = constraint;
  }
}

/** The row to change does not exist. */
export class RecordMissing extends DatabaseError {
  override name = "RecordMissing";
}

/** Deadlock or serialization failure; the whole transaction may be repeated. */
export class TransactionConflict extends DatabaseError {
  override name = "TransactionConflict";
}

/**
 * The database cannot be reached or used, rejects all writes, or did not answer in time. A write may have happened
 * nevertheless: repeat only idempotent ones. The message is one sentence for an operator.
 */
export class DatabaseUnavailable extends DatabaseError {
  override name = "DatabaseUnavailable";
}

/**
 * The database is too old, rejects its user, does not exist, or lacks its installation id, its certificate is not trusted, or a file
 * that DATABASE_URL names cannot be used: only an operator can change that.
 */
export class DatabaseUnusable extends DatabaseUnavailable {
  override name = "DatabaseUnusable";
}

/** A statement ended at the time limit of itself, its locks or its transaction: the database is reachable, but busy. */
export class StatementTimeout extends DatabaseUnavailable {
  override name = "StatementTimeout";
}

/** Another transaction kept a row locked for too long. */
export class LockTimeout extends StatementTimeout {
  override name = "LockTimeout";
}

/** Whether the database cannot be reached or used; one that is only busy can. */
export function isDatabaseUnreachable(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && !(error instanceof StatementTimeout);
}
