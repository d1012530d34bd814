import { parseDate } from "@diegetic/ad-rules";
import { DAY_MS, type Database, StatementTimeout, utcDay } from "@diegetic/database";

const CAMPAIGNS_PER_PAGE = 500;
/** Text order finds candidates; an offset may move a moment by a day. */
const MAX_AHEAD_MS = 2 * DAY_MS;

interface Candidate {
  id: string;
  end_date: string;
}

/**
 * Records `campaign.ended` for active campaigns whose end date has passed, once for each end date. Without a webhook,
 * the end only counts as announced. Pages become smaller while they run out of time: the campaigns of an account that take
 * long do not stop those of others.
 */
export async function announceEndedCampaigns(database: Database, nowMs: number): Promise<void> {
  let after: Candidate = { id: "", end_date: "" };
  let limit = CAMPAIGNS_PER_PAGE;
  for (;;) {
    const candidates = await database.$queryRaw<Candidate[]>`
      SELECT id, end_date FROM campaigns
      WHERE status = 'active' AND end_date IS NOT NULL AND announced_end_date IS DISTINCT FROM end_date
        AND end_date < ${utcDay(nowMs + MAX_AHEAD_MS)} AND (end_date, id) > (${after.end_date}, ${after.id})
      ORDER BY end_date, id LIMIT ${limit}`;
    try {
      await announce(database, candidates, nowMs);
    } catch (error) {
      if (!(error instanceof StatementTimeout) || candidates.length === 1) throw error;
      limit = Math.ceil(candidates.length / 2);
      continue;
    }
    const last = candidates.at(-1);
    if (last === undefined || candidates.length < limit) return;
    after = last;
  }
}

async function announce(database: Database, candidates: readonly Candidate[], nowMs: number): Promise<void> {
  const ended = candidates.filter(({ end_date }) => {
    const end = parseDate(end_date);
    return end !== undefined && end.lastMs < nowMs;
  });
  if (ended.length === 0) return;
  // Skips locked rows: the next round announces them.
  await database.$executeRaw`
    UPDATE campaigns SET announced_end_date = end_date WHERE id IN (
      SELECT c.id FROM campaigns c
      JOIN unnest(${ended.map(({ id }) => id)}::text[], ${ended.map(({ end_date }) => end_date)}::text[])
        AS ended(id, end_date) ON ended.id = c.id AND ended.end_date = c.end_date
      WHERE c.status = 'active' AND c.announced_end_date IS DISTINCT FROM c.end_date
      FOR NO KEY UPDATE OF c SKIP LOCKED
    )`;
}
