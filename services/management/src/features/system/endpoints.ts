import {
  alreadyResolved,
  badCursor,
  noQuarantinedRecord,
  notOperator,
  type QuarantinedRecordBody,
  resolutionBody,
  type SystemAccountBody,
  type SystemBody,
  systemApi,
} from "@diegetic/contracts";
import { type Database, type Prisma, safeInteger } from "@diegetic/database";
import { isSilent, type ProcessReport, type RedisConnection, readProcessReports } from "@diegetic/hot-state";
import { centsDown } from "@diegetic/money";
import { checkReadiness, type RequestContext } from "@diegetic/service-kit";
import { pageAnswer, readPaging, rowsOfPage, rowsToRead } from "../../core/shared/paging.ts";
import { timestamp } from "../../core/shared/time.ts";
import { endpointsOf } from "../endpoints-of.ts";
import type { Parts } from "../parts.ts";
import { countRows, readDividedWallets, readWaiting } from "./store.ts";

const DEFAULT_LISTED_RECORDS = 100;
const MAX_LISTED_ACCOUNTS = 500;

/** Endpoints for the operator of the installation. */
export const systemEndpoints = endpointsOf(systemApi.operations, {
  show,
  listQuarantine,
  resolve,
  listAccounts,
});

/** Throws 403. */
function requireOperator({ caller }: RequestContext): void {
  if (caller.session?.isOperator === true) return;
  throw notOperator.error();
}

const WITHOUT_REPORTS = {
  processes: [],
  reconciliation: { finished_at: null, differences: null, listed: [] },
  matches_last_5_minutes: null,
  impressions_last_5_minutes: null,
};
const WITHOUT_WALLETS = {
  advertisers_looked_at: null,
  held_millicents: null,
  impressions_waiting: null,
  oldest_waiting_seconds: null,
};

async function show(
  { database, reader, redis, wallets, clock, readiness, instanceName, processId }: Parts,
  context: RequestContext,
) {
  requireOperator(context);
  const nowMs = clock();
  const { ready, checks } = await checkReadiness(readiness);
  const stores = Object.entries(checks).map(([name, outcome]) => ({ name, ready: outcome === "ok" }));
  const own = {
    service: "management",
    instance: instanceName,
    ready,
    failing: stores.filter((store) => !store.ready).map(({ name }) => name),
    reported_at: timestamp(new Date(nowMs)),
  };
  const isRedisReady = checks.redis === "ok";
  const { processes: others, ...reported } = isRedisReady
    ? await readProcesses(redis, nowMs, processId)
    : WITHOUT_REPORTS;
  const waiting = isRedisReady ? await readWaiting({ database, reader, wallets }, nowMs) : WITHOUT_WALLETS;
  const body: SystemBody = {
    read_at: own.reported_at,
    stores,
    processes: [own, ...others],
    ...reported,
    ...(await countRows(database, nowMs)),
    ...waiting,
    divided_wallets: await readDividedWallets(database),
  };
  return { status: 200, body };
}

/** Whether the instance was started again after this report. Replicas may share a name. */
function isReplaced(
  { service, instance, reportedAtMs }: ProcessReport,
  reports: readonly ProcessReport[],
): boolean {
  return reports.some(
    (other) =>
      other.service === service &&
      other.instance === instance &&
      other.startedAtMs !== undefined &&
      other.startedAtMs > reportedAtMs,
  );
}

/** What the processes reported, besides the one with `ownId`. */
async function readProcesses(
  redis: RedisConnection,
  nowMs: number,
  ownId: string,
): Promise<
  Pick<SystemBody, "processes" | "reconciliation" | "matches_last_5_minutes" | "impressions_last_5_minutes">
> {
  const reports = await readProcessReports(redis, nowMs);
  // Each billing process compares everything: the one that finished last knows best.
  const [latest] = reports
    .flatMap(({ reconciliation }) => reconciliation ?? [])
    .sort((one, other) => (other.finishedAtMs ?? 0) - (one.finishedAtMs ?? 0));
  const finishedAtMs = latest?.finishedAtMs ?? null;
  // The last counts of a silent process are of an earlier time.
  const calls = reports.filter((report) => !isSilent(report, nowMs)).flatMap((report) => report.calls ?? []);
  return {
    matches_last_5_minutes: calls.reduce((sum, { matches }) => sum + matches, 0),
    impressions_last_5_minutes: calls.reduce((sum, { impressions }) => sum + impressions, 0),
    processes: reports
      .filter((report) => report.id !== ownId && !(isSilent(report, nowMs) && isReplaced(report, reports)))
      .map((report) => ({
        service: report.service,
        instance: report.instance,
        ready: report.failing.length === 0 && !isSilent(report, nowMs),
        failing: report.failing,
        reported_at: timestamp(new Date(report.reportedAtMs)),
      })),
    reconciliation: {
      finished_at: finishedAtMs === null ? null : timestamp(new Date(finishedAtMs)),
      differences: latest?.differences ?? 0,
      listed: latest?.listed ?? [],
    },
  };
}

function toRecordResponse(row: Prisma.QuarantinedImpressionGetPayload<object>): QuarantinedRecordBody {
  return {
    impression_id: row.impressionId,
    advertiser_id: row.advertiserId,
    reason: row.reason,
    record: row.record,
    quarantined_at: timestamp(row.quarantinedAt),
    resolved_at: row.resolvedAt === null ? null : timestamp(row.resolvedAt),
    resolution: row.resolution,
  };
}

async function listQuarantine({ database }: Parts, context: RequestContext) {
  requireOperator(context);
  // The outbox field of a damaged record can be any text.
  const requested = readPaging(context);
  const paging = { ...requested, limit: requested.limit ?? DEFAULT_LISTED_RECORDS };
  const rows = await database.quarantinedImpression.findMany({
    where: { resolvedAt: null, ...(await olderThan(database, paging.after)) },
    orderBy: [{ quarantinedAt: "desc" }, { impressionId: "desc" }],
    take: rowsToRead(paging),
  });
  const identified = rows.map((row) => ({ ...row, id: row.impressionId }));
  return pageAnswer(context, paging, identified, toRecordResponse);
}

async function findRecord(
  database: Database,
  impressionId: string,
): Promise<Prisma.QuarantinedImpressionGetPayload<object> | null> {
  // Postgres rejects this character.
  if (impressionId.includes("\0")) return null;
  return database.quarantinedImpression.findUnique({ where: { impressionId } });
}

/** The records after this one, which may have been resolved since. Throws 400. */
async function olderThan(
  database: Database,
  cursor: string | undefined,
): Promise<Prisma.QuarantinedImpressionWhereInput> {
  if (cursor === undefined) return {};
  const last = await findRecord(database, cursor);
  if (last === null) throw badCursor.error();
  const { quarantinedAt, impressionId } = last;
  return {
    OR: [{ quarantinedAt: { lt: quarantinedAt } }, { quarantinedAt, impressionId: { lt: impressionId } }],
  };
}

async function resolve({ database, clock }: Parts, context: RequestContext) {
  requireOperator(context);
  const impressionId = context.param("impressionId");
  if ((await findRecord(database, impressionId)) === null) throw noQuarantinedRecord.error();
  const { resolution } = context.body(resolutionBody);
  const { count } = await database.quarantinedImpression.updateMany({
    where: { impressionId, resolvedAt: null },
    data: { resolvedAt: new Date(clock()), resolution },
  });
  const row = await findRecord(database, impressionId);
  if (row === null) throw noQuarantinedRecord.error();
  if (count === 0) throw alreadyResolved.error();
  return { status: 200, body: toRecordResponse(row) };
}

async function listAccounts({ database }: Parts, context: RequestContext) {
  requireOperator(context);
  const requested = readPaging(context, "acct");
  const paging = { ...requested, limit: requested.limit ?? MAX_LISTED_ACCOUNTS };
  const rows = await database.account.findMany({ ...rowsOfPage({}, paging), include: OF_ACCOUNT });
  return pageAnswer(context, paging, rows, toAccountResponse);
}

const OF_ACCOUNT = {
  advertiser: true,
  _count: { select: { placements: true, members: true } },
} satisfies Prisma.AccountInclude;

type AccountRow = Prisma.AccountGetPayload<{ include: typeof OF_ACCOUNT }>;

function toAccountResponse({ id, label, createdAt, advertiser, _count }: AccountRow): SystemAccountBody {
  return {
    id,
    label,
    created_at: timestamp(createdAt),
    advertiser: advertiser?.companyName ?? null,
    balance_cents:
      advertiser &&
      centsDown(safeInteger(advertiser.depositedMillicents - advertiser.spentMillicents, "balance")),
    games: _count.placements,
    members: _count.members,
  };
}
