import { arrayOfNumbers, arrayOfTexts, Prisma } from "@diegetic/database";

/** Column arrays of some rows, as parameters of unnest. */
export class Columns<Row> {
  readonly #rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  texts(of: (row: Row, index: number) => string | null): Prisma.Sql {
    return Prisma.sql`${arrayOfTexts(this.#rows.map(of))}::text[]`;
  }

  days(of: (row: Row, index: number) => string): Prisma.Sql {
    return Prisma.sql`${arrayOfTexts(this.#rows.map(of))}::date[]`;
  }

  integers(of: (row: Row, index: number) => number | bigint): Prisma.Sql {
    return Prisma.sql`${arrayOfNumbers(this.#rows.map(of))}::bigint[]`;
  }

  decimals(of: (row: Row, index: number) => string): Prisma.Sql {
    return Prisma.sql`${arrayOfNumbers(this.#rows.map(of))}::numeric[]`;
  }

  floats(of: (row: Row, index: number) => number): Prisma.Sql {
    return Prisma.sql`${arrayOfNumbers(this.#rows.map(of))}::float8[]`;
  }

  /** One JSON array for all rows, for jsonb_array_elements. */
  json(of: (row: Row, index: number) => unknown): Prisma.Sql {
    return Prisma.sql`${JSON.stringify(this.#rows.map(of))}::jsonb`;
  }
}
