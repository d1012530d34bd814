import { Text, Title } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import {
  centsOfMicrocents,
  centsOfMillicents,
  formatCount,
  formatDecimal,
  formatExactCents,
  formatTerm,
} from "../../format/format.ts";
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
      <Ledger turn={turn} />
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
      <Text size="sm">{sentenceOf(turn)}</Text>
    </section>
  );
}

const NO_MATCH: Readonly<Record<string, string>> = {
  session_cap:
    "This player has seen as many ads as the game allows in one visit. Start over as another player.",
  budget: "The campaigns that fit have no money left right now.",
  no_campaigns: "No campaign is active.",
  no_eligible_campaign: "No campaign fits this scene, or this player has seen its lines often enough.",
  placement_disabled: "Ads are switched off for this game.",
};

function sentenceOf(turn: Turn | undefined): string {
  if (turn === undefined) return "Nothing has been asked yet.";
  const { ad, receipt, reason } = turn;
  if (turn.step === "asking") return "The game describes the scene and asks for the ad that fits best.";
  if (turn.step === "failed") return `The call failed: ${reason} The story goes on.`;
  if (turn.step === "no_match" || ad === undefined) {
    return `No ad for this scene. ${NO_MATCH[reason ?? ""] ?? formatTerm(reason ?? "")} The story goes on without one.`;
  }
  const price = formatExactCents(centsOfMillicents(ad.cpm_bid_cents));
  if (receipt === undefined) {
    const fit =
      ad.affinity_score === 0
        ? "may be shown in this scene"
        : `fits with a score of ${formatDecimal(ad.affinity_score)}`;
    return `${ad.brand_name} ${fit}. ${price} is held until the line has been seen.`;
  }
  return `The line was in view. ${ad.brand_name} paid ${formatExactCents(receipt.charged_cents)}; the game earned its share.`;
}

/** What matched lines hold is not spent yet: it shows beside the balance until it is billed. */
function Ledger({ turn }: { turn: Turn | undefined }) {
  const { data } = useRead("GET /demo");
  const held = turn?.step === "matched" && turn.ad !== undefined ? turn.ad.cpm_bid_cents : 0;
  const rows =
    data === undefined
      ? []
      : ([
          ["Advertiser's balance", formatExactCents(centsOfMillicents(data.balance_millicents))],
          ["Held for this scene", formatExactCents(centsOfMillicents(held))],
          ["Spent", formatExactCents(centsOfMillicents(data.spent_millicents))],
          ["Earned by this game", formatExactCents(centsOfMicrocents(data.earned_microcents))],
          ["Impressions", formatCount(data.impressions)],
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
        <Text size="sm" c="dimmed">
          Sent
        </Text>
        <pre>{JSON.stringify(sent, null, 2)}</pre>
        <Text size="sm" c="dimmed">
          Received
        </Text>
        <pre>{received === undefined ? "(no body)" : JSON.stringify(received, null, 2)}</pre>
      </details>
    </li>
  );
}
