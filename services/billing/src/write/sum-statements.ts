import { Prisma } from "@diegetic/database";
import { decimalOfMillionths } from "./billed-impression.ts";
import { Columns } from "./columns.ts";
import type { Delta, RollupDeltas } from "./rollup-deltas.ts";

/** Builds statements that add deltas to the rows of one table, and insert the missing ones. */

/** The array of each column. */
const COLUMNS = {
  account_id: (of) => of.texts(({ first }) => first.record.match.developer_account_id),
  advertiser_id: (of) => of.texts(({ first }) => first.record.match.advertiser_id),
  campaign_id: (of) => of.texts(({ first }) => first.record.match.campaign_id),
  campaign_version: (of) => of.integers(({ first }) => first.record.match.campaign_version),
  country_code: (of) => of.texts(({ first }) => first.record.match.country_code ?? ""),
  creative_id: (of) => of.texts(({ first }) => first.record.creative_id),
  day: (of) => of.days(({ first }) => first.day),
  game_id: (of) => of.texts(({ first }) => first.record.match.game_id),
  impressions: (of) => of.integers(({ impressions }) => impressions),
  spent_millicents: (of) => of.integers(({ spentMillicents }) => spentMillicents),
  earning_microcents: (of) => of.integers(({ earningMicrocents }) => earningMicrocents),
  affinity_score_sum: (of) =>
    of.decimals(({ affinityScoreMillionths }) => decimalOfMillionths(affinityScoreMillionths)),
} satisfies Record<string, (of: Columns<Delta>) => Prisma.Sql>;

type Column = keyof typeof COLUMNS;

interface Table {
  name: string;
  deltas: Exclude<keyof RollupDeltas, "affinities">;
  keys: readonly Column[];
  /** Other columns of new rows. */
  others?: readonly Column[];
  sums: readonly Column[];
}

/** The text of a statement before and after its arrays, which are in the order of `columns`. */
type Form = (
  table: Table,
  sums: readonly string[],
  columns: readonly string[],
) => [before: string, after: string];

/** For rows without another writer. */
export const merge: Form = ({ name, keys }, sums, columns) => [
  `MERGE INTO ${name} AS known USING unnest(`,
  `) AS m(${list(columns)}) ON ${keys.map((key) => `known.${key} = m.${key}`).join(" AND ")}
    WHEN MATCHED THEN UPDATE SET ${added(sums, "m")}
    WHEN NOT MATCHED THEN INSERT (${list(columns)}) VALUES (${list(columns.map((column) => `m.${column}`))})`,
];

/** For rows that others may insert at the same time. */
export const insert: Form = ({ name, keys }, sums, columns) => [
  `INSERT INTO ${name} AS known (${list(columns)}) SELECT * FROM unnest(`,
  `) ON CONFLICT (${list(keys)}) DO UPDATE SET ${added(sums, "excluded")}`,
];

export function statement(form: Form, table: Table): (deltas: RollupDeltas) => Prisma.Sql {
  const columns = columnsOf(table);
  const [before, after] = form(table, table.sums, columns).map(Prisma.raw);
  return (deltas) => Prisma.sql`${before}${arraysOf(deltas[table.deltas], columns)}${after}`;
}

/** Like `statement`, and sums up the new players of each row in its column `users`. */
export function statementWithUsers(
  form: Form,
  table: Table,
): (deltas: RollupDeltas) => (users: Int32Array) => Prisma.Sql {
  const columns = columnsOf(table);
  const [before, after] = form(table, [...table.sums, "users"], [...columns, "users"]).map(Prisma.raw);
  return (deltas) => {
    const arrays = arraysOf(deltas[table.deltas], columns);
    return (users) => Prisma.sql`${before}${arrays}, ${usersArray(users)}${after}`;
  };
}

/** Arrays of the columns, as parameters of unnest. */
export function arraysOf(deltas: readonly Delta[], columns: readonly Column[]): Prisma.Sql {
  const of = new Columns(deltas);
  return Prisma.join(
    columns.map((column) => COLUMNS[column](of)),
    ", ",
  );
}

export function usersArray(users: Int32Array): Prisma.Sql {
  return new Columns([...users]).integers((count) => count);
}

function columnsOf({ keys, others = [], sums }: Table): Column[] {
  return [...keys, ...others, ...sums];
}

function added(sums: readonly string[], from: string): string {
  return list(sums.map((sum) => `${sum} = known.${sum} + ${from}.${sum}`));
}

function list(names: readonly string[]): string {
  return names.join(", ");
}
