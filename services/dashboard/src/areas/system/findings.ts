import { formatCount, formatNoun, formatTerm } from "../../format/format.ts";
import type { System } from "./read.ts";

/** Impressions are written within seconds; a wait of this length means that billing is behind. */
const MAX_WAIT_SECONDS = 60;

const WITHOUT: Record<string, string> = {
  redis: "Games get no ads, and processes cannot report, until it is ready.",
  match: "Games get no ads: match requests are answered 503 or not at all.",
  billing: "Ads are served and charged. Analytics and earnings stand still until billing runs.",
};

export interface Finding {
  title: string;
  advice: string;
}

/** A wait in minutes as soon as it is two of them. */
export function formatWait(seconds: number): string {
  return seconds < 120 ? formatNoun(seconds, "second") : formatNoun(Math.floor(seconds / 60), "minute");
}

/** What the operator should look at, worst first; empty when all is well. */
export function findingsOf(system: System): Finding[] {
  const found: Finding[] = [];
  for (const { name, ready } of system.stores) {
    if (!ready) {
      found.push({
        title: `${formatTerm(name)} is not ready`,
        advice: `${WITHOUT[name] ?? "Requests that need it are answered 503."} The log of management names the reason.`,
      });
    }
  }
  // Processes report through Redis.
  const { differences } = system.reconciliation;
  const isHeard = differences !== null;
  for (const service of isHeard ? ["match", "billing"] : []) {
    const processes = system.processes.filter((process) => process.service === service);
    const failing = processes.filter(({ ready }) => !ready);
    if (failing.length === processes.length) {
      found.push({ title: `No ${service} process is ready`, advice: WITHOUT[service] ?? "" });
    } else if (failing.length > 0) {
      found.push({
        title: `${failing.map(({ instance }) => instance).join(", ")} (${service}) is not ready`,
        advice: "The others do its work. See below what fails.",
      });
    }
  }
  if (differences !== null && differences > 0) {
    found.push({
      title: `The stores disagree in ${formatNoun(differences, "value")}`,
      advice: "See below which, and run npm run audit for the whole comparison.",
    });
  }
  const waits = system.oldest_waiting_seconds;
  if (waits !== null && waits >= MAX_WAIT_SECONDS) {
    found.push({
      title: `Impressions have waited ${formatWait(waits)} to be written`,
      advice:
        "They are safe in Redis and are charged already. Look whether billing runs and Postgres keeps up.",
    });
  }
  if (system.quarantined_records > 0) {
    found.push({
      title: `${formatNoun(system.quarantined_records, "quarantined record")} to decide about`,
      advice: "Each counts as a difference until it is resolved below.",
    });
  }
  return found;
}

/** Of whom the figures from Redis are, where they leave out advertisers. */
export function limitOf({ advertisers, advertisers_looked_at: lookedAt }: System): string {
  return lookedAt !== null && lookedAt < advertisers
    ? `, of the ${formatCount(lookedAt)} newest advertisers`
    : "";
}
