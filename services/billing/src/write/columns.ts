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
}
