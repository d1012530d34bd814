import type { ClientEvent } from "@diegetic/client";

/** Counts what a run does, from the client's events and the time of each match. */
export class Statistics {
  scenes = 0;
  matches = 0;
  playersOnline = 0;
  recorded = 0;
  chargedMillicents = 0;
  readonly withoutAd = new Map<string, number>();
  readonly problems = new Map<string, number>();
  readonly #latenciesMs: number[] = [];

  readonly onEvent = (event: ClientEvent): void => {
    switch (event.type) {
      case "no_match":
        increment(this.withoutAd, event.reason ?? "unknown");
        break;
      case "match_failed":
        increment(
          this.withoutAd,
          event.status === undefined ? "no answer in time" : `status ${event.status}`,
        );
        break;
      case "impression_recorded":
        this.recorded += 1;
        this.chargedMillicents += Math.round(event.charged_cents * 1_000);
        break;
      case "impression_retrying":
        increment(this.problems, "impression retries");
        break;
      default:
        increment(this.problems, event.type);
    }
  };

  addLatency(ms: number): void {
    this.#latenciesMs.push(ms);
  }

  /** Milliseconds; 0 without a match. */
  percentile(share: number): number {
    const sorted = this.#latenciesMs.toSorted((left, right) => left - right);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  }

  progress(secondsLeft: number): string {
    return [
      `${Math.ceil(secondsLeft)} s left`,
      `${this.playersOnline} players`,
      `${this.scenes} scenes`,
      `${this.matches} ads`,
      `${this.recorded} impressions`,
      `${(this.chargedMillicents / 1_000).toFixed(1)} cents`,
    ].join("  ");
  }

  summary(pending: number): string {
    const rows: [string, string | number][] = [
      ["Scenes", this.scenes],
      ["Ads matched", this.matches],
      ...[...this.withoutAd].sort().map(([reason, count]): [string, number] => [`No ad: ${reason}`, count]),
      ["Impressions recorded", this.recorded],
      ["Impressions without an answer", pending],
      ...this.problems,
      ["Charged", `${(this.chargedMillicents / 1_000).toFixed(3)} cents`],
      ["Latency of a match, p50", `${this.percentile(0.5).toFixed(1)} ms`],
      ["Latency of a match, p99", `${this.percentile(0.99).toFixed(1)} ms`],
    ];
    return rows.map(([name, value]) => `${name.padEnd(32)}${value}`).join("\n");
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
