import { Prisma } from "@diegetic/database";

/** The column of a property, as in the Prisma schema: `campaignId` is `campaign_id`. */
export function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Inserts these properties of the rows. */
export function insertRows<Row extends object>(
  table: string,
  properties: readonly (keyof Row & string)[],
  rows: readonly Row[],
): Prisma.Sql {
  const columns = Prisma.raw(properties.map(columnOf).join(", "));
  const values = rows.map((row) => Object.fromEntries(properties.map((name) => [columnOf(name), row[name]])));
  return Prisma.sql`
    INSERT INTO ${Prisma.raw(table)} (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::${Prisma.raw(table)}, ${JSON.stringify(values)}::json)`;
}
