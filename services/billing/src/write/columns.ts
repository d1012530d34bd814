import { arrayOfNumbers, arrayOfTexts, Prisma } from "@diegetic/database";

/** Arrays of the columns of some rows, as the parameters of unnest. */
export class Columns<Row> {
  readonly #rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  texts(of: (row: Row, place: number) => string | null): Prisma.Sql {
    return Prisma.sql`${arrayOfTexts(this.#rows.map(of))}::text[]`;
  }

  days(of: (row: Row, place: number) => string): Prisma.Sql {
    return Prisma.sql`${arrayOfTexts(this.#rows.map(of))}::date[]`;
  }

  integers(of: (row: Row, place: number) => number | bigint): Prisma.Sql {
    return Prisma.sql`${arrayOfNumbers(this.#rows.map(of))}::bigint[]`;
  }

  decimals(of: (row: Row, place: number) => string): Prisma.Sql {
    return Prisma.sql`${arrayOfNumbers(this.#rows.map(of))}::numeric[]`;
  }

  floats(of: (row: Row, place: number) => number): Prisma.Sql {
    return Prisma.sql`${arrayOfNumbers(this.#rows.map(of))}::float8[]`;
  }

  /** One document for all rows, for jsonb_array_elements. */
  json(of: (row: Row, place: number) => unknown): Prisma.Sql {
    return Prisma.sql`${JSON.stringify(this.#rows.map(of))}::jsonb`;
  }
}
