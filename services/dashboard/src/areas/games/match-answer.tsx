import { Alert, Anchor, Button, Card, Collapse, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { AnswerOf } from "../../api/operations.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { retryChanges } from "../../api/retry.ts";
import {
  formatCents,
  formatCount,
  formatDecimal,
  formatExactCents,
  formatPercent,
  formatShare,
  formatTerm,
  impressionCents,
} from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Id } from "../../kit/id.tsx";
import { Preformatted } from "../../kit/preformatted.tsx";
import { SentenceButton } from "../../kit/sentence-button.tsx";
import { Status } from "../../kit/status.tsx";
import { Scene } from "../../scene/scene.tsx";
import { Story } from "../../scene/story.tsx";
import { gamePath, snippetsPath } from "./game-path.ts";
import { TRAFFIC_REFETCH_MS } from "./placement.ts";
import { usePlacements } from "./reads.ts";
import { reasonAdvice, reasonFixes } from "./reason-advice.ts";
import type { TestedScene } from "./scene-link.ts";

export type Ad = NonNullable<AnswerOf<"POST /match">>;

/** The answer to one request, with the scene that asked. */
export interface Outcome {
  tested: TestedScene;
  ad: Ad | undefined;
  reason: string | undefined;
  milliseconds: number;
}

/** An answer of the live service: the line in its scene, why it won, and what it costs. */
export function MatchAnswer({ outcome }: { outcome: Outcome }) {
  const { ad, tested, milliseconds } = outcome;
  const { scene, game } = tested;
  if (ad === undefined) return <NoAd outcome={outcome} />;
  return (
    <Stack>
      <Scene
        pipeline={ad.biased_pipeline}
        {...(scene.location !== undefined && scene.location !== null && { place: scene.location })}
        hasChips
      >
        <Story before={scene.narrative} line={ad.narrative_hook} payer={ad.brand_name} />
      </Scene>
      <Impression ad={ad} game={game} />
      <Explained ad={ad} milliseconds={milliseconds} />
      <Raw ad={ad} />
    </Stack>
  );
}

function NoAd({ outcome: { tested, reason, milliseconds } }: { outcome: Outcome }) {
  const { game } = tested;
  const known = reason ?? "no_eligible_campaign";
  // Somebody may change the game to get an ad after all.
  const { data: rules } = useRead(
    "GET /placements/{game_id}",
    { path: { game_id: game } },
    { refetchEveryMs: TRAFFIC_REFETCH_MS },
  );
  const { label, means, meansInTest = means } = reasonAdvice(known);
  const fixes = reasonFixes(known, game, rules);
  return (
    <Card>
      <Stack>
        <Status tone="warning">No ad: {label.toLowerCase()}</Status>
        <Text>{meansInTest}</Text>
        <Text>
          <Text span fw={600}>
            What helps:{" "}
          </Text>
          {fixes.map(({ helps }) => helps).join(" ")}
        </Text>
        <Text c="dimmed" fz="xs">
          204 with X-No-Match-Reason: {reason ?? "none"}, after {formatCount(milliseconds)} ms. A game goes on
          with its own scene.
        </Text>
        <Group>
          {fixes.map(
            ({ link }) =>
              link && (
                <ButtonLink key={link.label} variant="default" to={link.path}>
                  {link.label}
                </ButtonLink>
              ),
          )}
        </Group>
      </Stack>
    </Card>
  );
}

function Explained({ ad, milliseconds }: { ad: Ad; milliseconds: number }) {
  const { affinity_score: score, cpm_bid_cents: bid, brand_name: brand } = ad;
  const factor = 1 + score / (1 + score);
  return (
    <>
      <Figures
        figures={[
          { label: "Bid", value: formatCents(bid), note: "for a thousand impressions" },
          {
            label: "Affinity score",
            value: formatDecimal(score),
            note: score === 0 ? "no affinity fits" : "from affinities that fit",
          },
          {
            label: "Rank",
            value: formatCents(bid * factor),
            note: score === 0 ? "the bid itself" : `the bid, lifted by ${formatShare(factor - 1)}`,
          },
        ]}
      />
      <Text c="dimmed">
        {score === 0
          ? `${brand} may be shown in this scene, and its rank is among the highest. Nothing in the scene speaks for it in particular.`
          : `${brand} may be shown in this scene, and words of the scene lift its bid by ${formatShare(factor - 1)}: its rank is among the highest.`}{" "}
        {ad.product_name && `It speaks of ${ad.product_name}. `}
        The line is a {formatTerm(ad.creative_type).toLowerCase()} of {ad.tone} tone. Answered in{" "}
        {formatCount(milliseconds)} ms, the time to this browser and back included.
      </Text>
    </>
  );
}

/** The billing event, apart from the match and with its price on it: it moves money. */
function Impression({ ad, game }: { ad: Ad; game: string }) {
  const record = useChange("POST /impressions", retryChanges);
  const placements = usePlacements();
  const { match_id, campaign_id, creative_id } = ad;
  const cents = impressionCents(ad.cpm_bid_cents);
  const price = formatExactCents(cents);
  const share = placements.data?.find(({ game_id: id }) => id === game)?.revenue_share_pct;
  if (record.data !== undefined) {
    return (
      <Alert color="positive" title="The impression is recorded">
        {ad.brand_name} paid {formatExactCents(record.data.charged_cents)}; {game} earns its share
        {share !== undefined && ` of ${formatPercent(share)}`}.{" "}
        <Id value={record.data.impression_id} label="impression id" />
        <br />
        <Anchor component={Link} to={gamePath(game)}>
          See it arrive at {game}
        </Anchor>
        {" · "}
        <Anchor component={Link} to={snippetsPath(game)}>
          Put it into your game
        </Anchor>
      </Alert>
    );
  }
  return (
    <Card component="section" aria-label="Impression">
      <Stack gap="sm">
        {record.error && <Alert color="negative">{record.error.detail}</Alert>}
        <Group justify="space-between">
          <Text maw={420}>
            In a game, your server records the impression once a player has seen the line; here, you do.{" "}
            {ad.brand_name} pays {price}
            {share !== undefined && `, of which ${game} earns ${formatExactCents((cents * share) / 100)}`}. It
            cannot be undone.
          </Text>
          <SentenceButton
            variant="outline"
            loading={record.isPending}
            onClick={() => record.mutate({ body: { game_id: game, campaign_id, creative_id, match_id } })}
          >
            Record impression and charge {ad.brand_name} {price}
          </SentenceButton>
        </Group>
      </Stack>
    </Card>
  );
}

function Raw({ ad }: { ad: Ad }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? "Hide the answer as JSON" : "Show the answer as JSON"}
      </Button>
      <Collapse expanded={isOpen}>
        <Preformatted>{JSON.stringify(ad, null, 2)}</Preformatted>
      </Collapse>
    </div>
  );
}
