import type { Campaign } from "../types/campaign.ts";
import { defineRule, type RangeRule, type Verdict } from "./rule.ts";

/** The Unix milliseconds between which a campaign runs; null: it never runs, because a date is unreadable. */
export type Schedule = { startsAtMs: number; endsBeforeMs: number } | null;

export const dayMs = 86_400_000;
const iso8601 =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt\s](\d{2}:\d{2})(?::(\d{2})(?:\.(\d+))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** The flight of a campaign (docs/behaviour.md#rule-1-status-and-dates). */
export function compileSchedule(campaign: Pick<Campaign, "start_date" | "end_date">): Schedule {
  const start = campaign.start_date === null ? null : parseDate(campaign.start_date);
  const end = campaign.end_date === null ? null : parseDate(campaign.end_date);
  if (start === undefined || end === undefined) return null;
  return {
    startsAtMs: start === null ? Number.NEGATIVE_INFINITY : start.firstMs,
    endsBeforeMs: end === null ? Number.POSITIVE_INFINITY : end.lastMs + 1,
  };
}

/** The first and the last millisecond of a date; both are equal for a point in time. */
interface DateSpan {
  firstMs: number;
  lastMs: number;
}

/**
 * Parses an ISO 8601 date (the whole day, UTC) or date-time (that instant; UTC without an offset). Undefined when it is
 * neither.
 */
export function parseDate(text: string): DateSpan | undefined {
  const parts = iso8601.exec(text.trim());
  if (parts === null) return undefined;
  const [, day, hoursAndMinutes, seconds = "0", fraction = "", offset = "Z"] = parts;
  if (hoursAndMinutes === undefined) {
    const firstMs = Date.parse(`${day}T00:00:00Z`);
    return Number.isNaN(firstMs) ? undefined : { firstMs, lastMs: firstMs + dayMs - 1 };
  }
  // Seconds are added separately, because Date.parse rejects leap seconds, which ISO 8601 allows.
  const minuteMs = Date.parse(`${day}T${hoursAndMinutes}:00${withColon(offset)}`);
  if (Number.isNaN(minuteMs) || Number(seconds) > 60) return undefined;
  const instantMs = minuteMs + Number(seconds) * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3));
  return { firstMs: instantMs, lastMs: instantMs };
}

/** Converts "+0200" and "+02" to "+02:00", the only form that Date.parse accepts. */
function withColon(offset: string): string {
  if (offset.length === 1) return offset.toUpperCase();
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(":", "") || "00"}`;
}

/** The milliseconds of a request against the flight of a campaign. */
export const flightRange: RangeRule<{ schedule: Schedule }> = {
  rangeOf: ({ schedule }) =>
    schedule !== null && isBounded(schedule)
      ? { from: schedule.startsAtMs, before: schedule.endsBeforeMs }
      : null,
  numberOf: ({ nowMs }) => nowMs,
};

function isBounded({ startsAtMs, endsBeforeMs }: NonNullable<Schedule>): boolean {
  return Number.isFinite(startsAtMs) || Number.isFinite(endsBeforeMs);
}

export const flightRule = defineRule(
  {
    status: { code: 101, meaning: "The campaign is active." },
    start_date: { code: 102, meaning: "The campaign's start_date has come." },
    end_date: { code: 103, meaning: "The campaign's end_date has not passed." },
  },
  (
    { source }: { source: Pick<Campaign, "status" | "start_date" | "end_date">; schedule: Schedule },
    { prepared: { nowMs } }: { prepared: { nowMs: number } },
  ) => {
    const now = new Date(nowMs).toISOString();
    const dated = (
      name: "start_date" | "end_date",
      { holds, yes, no }: { holds: (date: DateSpan) => boolean; yes: string; no: string },
    ): Verdict => {
      const text = source[name];
      if (text === null) return [true, `The campaign sets no ${name}.`];
      const date = parseDate(text);
      const named = `The campaign's ${name} ${JSON.stringify(text)}`;
      if (date === undefined) {
        return [false, `${named} cannot be read as a date, so the campaign does not serve.`];
      }
      const meant = date.firstMs === date.lastMs ? "" : " (the whole day, UTC)";
      const passes = holds(date);
      return [passes, `${named}${meant} ${passes ? yes : no}; it is now ${now}.`];
    };
    return {
      status: [
        source.status === "active",
        `The campaign is ${source.status === "draft" ? "a draft" : source.status}; only active ones serve.`,
      ],
      start_date: dated("start_date", {
        holds: ({ firstMs }) => firstMs <= nowMs,
        yes: "has come",
        no: "has not come yet",
      }),
      end_date: dated("end_date", {
        holds: ({ lastMs }) => nowMs <= lastMs,
        yes: "has not passed",
        no: "has passed",
      }),
    };
  },
  flightRange,
);
