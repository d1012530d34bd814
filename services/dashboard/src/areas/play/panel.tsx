import { Text, Title } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import {
  centsOfMicrocents,
  centsOfMillicents,
  formatCount,
  formatDecimal,
  formatExactCents,
  formatTerm,
  impressionCents,
} from "../../format/format.ts";
import { reasonAdvice } from "../games/reason-advice.ts";
import classes from "./panel.module.css";
import type { Exchange } from "./serving.ts";
import type { Turn } from "./use-game.ts";

interface PanelProps {
  turn: Turn | undefined;
  exchanges: readonly (Exchange & { id: number })[];
}

/** What happens behind the story: where the ad of this scene stands, the money, and every call. */
export function Panel({ turn, exchanges }: PanelProps) {
  return (
    <aside className={classes.panel} aria-label="Behind the story">
      <Title order={2}>Behind the story</Title>
      <Progress turn={turn} />
      <Ledger />
      <section aria-label="Calls of the game server">
        <Title order={3} className={classes.heading ?? ""}>
          Calls of the game server
        </Title>
        {exchanges.length === 0 && <Text c="dimmed">The first call is made when the story begins.</Text>}
        <ol className={classes.calls}>
          {exchanges.map((exchange) => (
            <Call key={exchange.id} exchange={exchange} />
          ))}
        </ol>
      </section>
    </aside>
  );
}

const STAGES = ["Scene asks", "Matched and held", "Seen and billed"] as const;

function stagesReached(turn: Turn | undefined): number {
  if (turn === undefined) return 0;
  if (turn.step === "billed") return 3;
  return turn.ad === undefined ? 1 : 2;
}

function Progress({ turn }: { turn: Turn | undefined }) {
  const reached = stagesReached(turn);
  return (
    <section aria-label="The ad of this scene" aria-live="polite">
      <ol className={classes.stages}>
        {STAGES.map((stage, index) => (
          <li key={stage} data-reached={index < reached}>
            {stage}
          </li>
        ))}
      </ol>
      <Text>{sentenceOf(turn)}</Text>
    </section>
  );
}

function sentenceOf(turn: Turn | undefined): string {
  if (turn === undefined) return "Nothing has been asked yet.";
  const { ad, receipt, reason } = turn;
  if (turn.step === "asking") return "The game describes the scene and asks for the ad that fits best.";
  if (turn.step === "failed") return `The call failed: ${reason} The story goes on.`;
  if (turn.step === "no_match" || ad === undefined) {
    const hint = reason === "session_cap" ? " Start over as another player." : "";
    return `No ad for this scene. ${reasonAdvice(reason ?? "").means}${hint} The story goes on without one.`;
  }
  const price = formatExactCents(impressionCents(ad.cpm_bid_cents));
  if (receipt === undefined) {
    const fit =
      ad.affinity_score === 0
        ? "may be shown in this scene"
        : `fits with a score of ${formatDecimal(ad.affinity_score)}`;
    return `${ad.brand_name} ${fit}. ${price} is held until the line has been seen.`;
  }
  return `The line was in view. ${ad.brand_name} paid ${formatExactCents(receipt.charged_cents)}; the game earned its share.`;
}

const LEDGER_REFETCH_MS = 3_000;

/** The money of the demo account as the service knows it, of every player. */
function Ledger() {
  // Earnings are written a moment after their impression, and other players spend, too.
  const { data, error } = useRead("GET /demo", {}, { refetchEveryMs: LEDGER_REFETCH_MS });
  const rows =
    data === undefined
      ? []
      : ([
          ["Demo advertiser's free balance", formatExactCents(centsOfMillicents(data.balance_millicents))],
          ["Held for open matches", formatExactCents(centsOfMillicents(data.held_millicents))],
          ["Spent", formatExactCents(centsOfMillicents(data.spent_millicents))],
          ["Impressions it paid for", formatCount(data.impressions)],
          ["Earned by this game", formatExactCents(centsOfMicrocents(data.earned_microcents))],
        ] as const);
  return (
    <section aria-label="Ledger">
      <Title order={3} className={classes.heading ?? ""}>
        Ledger
      </Title>
      <dl className={classes.ledger}>
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {error && (
        <Text role="status">
          The ledger cannot be read at the moment{data && ": these are its last figures"}. Nothing is lost.
          The figures update once it can be read again.
        </Text>
      )}
    </section>
  );
}

function Call({ exchange }: { exchange: Exchange }) {
  const { request, status, reason, milliseconds, sent, received } = exchange;
  return (
    <li>
      <details>
        <summary>
          <code>{request}</code>
          <span className={classes.answer} data-good={status >= 200 && status < 300}>
            {status === 0 ? "no answer" : status}
            {reason !== undefined && ` ${formatTerm(reason).toLowerCase()}`}
          </span>
          <span className={classes.time}>{formatCount(Math.round(milliseconds))} ms</span>
        </summary>
        <Text c="dimmed">Sent</Text>
        <pre>{JSON.stringify(sent, null, 2)}</pre>
        <Text c="dimmed">Received</Text>
        <pre>{received === undefined ? "(no body)" : JSON.stringify(received, null, 2)}</pre>
      </details>
    </li>
  );
}
