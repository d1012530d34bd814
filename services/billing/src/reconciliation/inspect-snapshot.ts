import { entityName } from "@diegetic/contracts";
import type { Database } from "@diegetic/database";
import type { SnapshotRow } from "@diegetic/hot-state";
import { Comparisons } from "./comparison.ts";
import type { Inspection, Look } from "./inspection.ts";

const ROWS_PER_PAGE = 500;

/** The reads of the snapshot that reconciliation needs. */
export interface SnapshotPort {
  readRows(names: readonly string[]): Promise<SnapshotRow[]>;
  countEntities(): Promise<number>;
}

/** A row that the snapshot must contain, or must have removed. */
interface PublishedRow {
  id: string;
  name: string;
  version: number;
  present: boolean;
}

type ReadPage = (database: Database, after: string) => Promise<PublishedRow[]>;

const inSnapshot = { present: true };
const PAGES: readonly ReadPage[] = [
  async (database, after) => {
    const rows = await database.advertiser.findMany({
      ...nextPage(after),
      select: { id: true, version: true },
    });
    return rows.map(({ id, version }) => ({ id, name: entityName.advertiser(id), version, ...inSnapshot }));
  },
  async (database, after) => {
    const rows = await database.campaign.findMany({
      ...nextPage(after),
      select: { id: true, version: true },
    });
    return rows.map(({ id, version }) => ({ id, name: entityName.campaign(id), version, ...inSnapshot }));
  },
  async (database, after) => {
    const select = { id: true, version: true, sha256: true, revokedAt: true };
    const rows = await database.apiKey.findMany({ ...nextPage(after), select });
    return rows.map(({ id, version, sha256, revokedAt }) => ({
      id,
      name: entityName.apiKey(sha256),
      version,
      present: revokedAt === null,
    }));
  },
  async (database, after) => {
    const select = { id: true, version: true, sha256: true, revokedAt: true };
    const rows = await database.accountSession.findMany({ ...nextPage(after), select });
    return rows.map(({ id, version, sha256, revokedAt }) => ({
      id,
      name: entityName.session(sha256),
      version,
      present: revokedAt === null,
    }));
  },
  async (database, after) => {
    const rows = await database.placement.findMany({
      where: { gameId: { gt: after } },
      orderBy: { gameId: "asc" as const },
      take: ROWS_PER_PAGE,
      select: { gameId: true, version: true },
    });
    return rows.map(({ gameId, version }) => ({
      id: gameId,
      name: entityName.placement(gameId),
      version,
      ...inSnapshot,
    }));
  },
];

function nextPage(after: string) {
  return { where: { id: { gt: after } }, orderBy: { id: "asc" as const }, take: ROWS_PER_PAGE };
}

/** Inspects every row that match instances must know, page by page, then the number of entities. */
export async function* snapshotInspections(
  database: Database,
  snapshot: SnapshotPort,
): AsyncGenerator<Inspection> {
  for (const readPage of PAGES) {
    let after = "";
    for (;;) {
      const start = after;
      const last = (await readPage(database, start)).at(-1);
      if (last === undefined) break;
      yield {
        name: "snapshot",
        look: async () => compareRows(await readPage(database, start), snapshot),
      };
      after = last.id;
    }
  }
  yield { name: "snapshot", look: () => compareCounts(database, snapshot) };
}

async function compareRows(rows: readonly PublishedRow[], snapshot: SnapshotPort): Promise<Look> {
  const found = await snapshot.readRows(rows.map(({ name }) => name));
  const checks = new Comparisons("");
  rows.forEach(({ name, version, present }, i) => {
    const row = found[i];
    const isRight = row?.version != null && row.present === present;
    // Reported by kind and id: the name of a key or session contains a secret's hash.
    const [kind] = name.split(":", 1);
    const subject = kind === "key" || kind === "session" ? `${kind}:${rows[i]?.id}` : name;
    checks.equal("snapshot_rows", subject, version, isRight ? (row.version ?? -1) : -1);
  });
  return { comparisons: checks.list, notCompared: [] };
}

async function compareCounts(database: Database, snapshot: SnapshotPort): Promise<Look> {
  const rows =
    (await database.advertiser.count()) +
    (await database.campaign.count()) +
    (await database.placement.count()) +
    (await database.apiKey.count({ where: { revokedAt: null } })) +
    (await database.accountSession.count({ where: { revokedAt: null } }));
  const checks = new Comparisons("");
  checks.equal("snapshot_entities", "all", rows, await snapshot.countEntities());
  return { comparisons: checks.list, notCompared: [] };
}
