import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { hasStatus, UnknownOutcome } from "../../api/api-error.ts";
import { formatCount, formatNoun } from "../../format/format.ts";
import { notifyCutShort, notifyDone, notifyFailed } from "../../kit/notify.ts";
import { bulkRefusal } from "./bulk-refusal.ts";
import type { CampaignSummary } from "./campaign-state.ts";

export interface BulkRun {
  /** "Duplicating 2 of 10"; undefined when nothing runs. */
  progress: string | undefined;
  stop: () => void;
  /** Answers with the campaigns that it was done with. */
  run: (work: BulkWork) => Promise<CampaignSummary[]>;
}

interface BulkWork {
  /** "Duplicating", of what is under way. */
  doing: string;
  /** "duplicated", of what is done. */
  done: string;
  campaigns: readonly CampaignSummary[];
  work: (campaignId: string, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Does the same with several campaigns, one after the other, and says how far it came. Ends when it is stopped, when the
 * page is left, which the browser asks about where it can, and when the rate limit still refuses after all retries: the
 * campaigns after that stay as they were.
 */
export function useBulkRun(): BulkRun {
  const client = useQueryClient();
  const [progress, setProgress] = useState<string>();
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);
  const isRunning = progress !== undefined;
  useEffect(() => {
    if (!isRunning) return;
    const askToStay = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", askToStay);
    return () => removeEventListener("beforeunload", askToStay);
  }, [isRunning]);
  const run = async ({ doing, done, campaigns, work }: BulkWork) => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const refused: string[] = [];
    let isUnknown = false;
    const finished: CampaignSummary[] = [];
    for (const [index, campaign] of campaigns.entries()) {
      const { campaign_id: id, name } = campaign;
      if (signal.aborted) break;
      setProgress(`${doing} ${formatCount(index + 1)} of ${formatCount(campaigns.length)}`);
      try {
        await work(id, signal);
        finished.push(campaign);
      } catch (error) {
        // Stopped while it waited: nothing was sent. Any other error is what the service answered.
        if (signal.aborted && error === signal.reason) break;
        refused.push(`${name}: ${bulkRefusal(error)}`);
        isUnknown ||= error instanceof UnknownOutcome;
        if (hasStatus(error, 429)) break;
      }
    }
    setProgress(undefined);
    const count = finished.length;
    const left = campaigns.length - count - refused.length;
    if (refused.length > 0) {
      notifyFailed(
        isUnknown
          ? `It is not known whether ${formatNoun(refused.length, "campaign")} could be ${done}.`
          : `${formatNoun(refused.length, "campaign")} could not be ${done}.`,
        refused.join("\n"),
      );
    }
    if (left > 0) {
      const others =
        left === 1 ? "the last one is as it was" : `the other ${formatCount(left)} are as they were`;
      const all = formatNoun(campaigns.length, "campaign");
      notifyCutShort(`${formatCount(count)} of ${all} ${done}. Stopped: ${others}.`);
    } else if (count > 0) {
      notifyDone(`${formatNoun(count, "campaign")} ${done}.`);
    }
    void client.invalidateQueries();
    return finished;
  };
  return { progress, stop, run };
}
