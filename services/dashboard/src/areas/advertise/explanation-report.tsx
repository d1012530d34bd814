import { Alert, Anchor, Card, Stack, Text, Title } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { Link } from "react-router";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { Chart } from "../../charts/chart.tsx";
import { formatCents, formatDecimal, formatNoun, formatTerm } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { NO_FIGURE } from "../../kit/columns.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Status } from "../../kit/status.tsx";
import { type Check, detailWords, type Explanation, ruleFix, ruleLabel, verdictOf } from "./explain-words.ts";
import classes from "./explanation-report.module.css";
import { firstLine } from "./first-line.ts";
import { type Campaign, pathOf } from "./use-campaign.ts";

const GROUPS: { prefix: number; label: string }[] = [
  { prefix: 1, label: "The campaign" },
  { prefix: 2, label: "The game" },
  { prefix: 3, label: "Targeting" },
  { prefix: 4, label: "Money" },
  { prefix: 5, label: "Caps" },
];

interface ExplanationReportProps {
  answer: Explanation;
  campaign: Campaign;
}

/** An explanation: the verdict, what fails and where that is changed, the ranks, and every rule. */
export function ExplanationReport({ answer, campaign }: ExplanationReportProps) {
  const { canChange } = useAbility();
  const creatives = useRead("GET /campaigns/{campaign_id}/creatives", pathOf(campaign));
  const { would_serve: wouldServe, checks, rank, winning_rank: winning, affinity_score: score } = answer;
  const { cpm_bid_cents: bidCents } = campaign;
  const bidToWin = answer.bid_to_win_cents;
  const failed = checks.filter(({ passed }) => !passed);
  const passed = checks.filter(({ passed: isPassed }) => isPassed);
  const verdict = verdictOf(answer, bidCents);
  const lineOf = (id: string) => {
    // Not read yet, or not at all: nothing says that it was deleted.
    if (creatives.data === undefined) return id;
    const creative = creatives.data.find((one) => one.id === id);
    return creative && firstLine(creative);
  };
  return (
    <section aria-label="Explanation">
      <Stack gap="lg">
        <Alert role="note" color={wouldServe ? "positive" : "negative"} title={verdict.title}>
          <Stack gap="sm" align="flex-start">
            {verdict.sentences.map((sentence) => (
              <Text key={sentence}>{sentence}</Text>
            ))}
            {canChange && bidToWin !== null && bidToWin > bidCents && (
              <ButtonLink
                to={`/campaigns/${campaign.id}/settings?bid=${bidToWin}`}
                variant="default"
                size="compact-sm"
              >
                {`Raise the bid to ${formatCents(bidToWin)} in the settings`}
              </ButtonLink>
            )}
          </Stack>
        </Alert>
        {failed.length > 0 && (
          <Card padding="md">
            <Title order={2} fz="md" mb="xs">
              What fails
            </Title>
            <Checks checks={failed} lineOf={lineOf} campaignId={campaign.id} />
          </Card>
        )}
        <Figures
          figures={[
            {
              label: "Rank",
              value: formatCents(rank),
              note: `from a bid of ${formatCents(bidCents)} and a score of ${formatDecimal(score)}`,
            },
            {
              label: "Best other campaign's rank",
              value: winning === null ? "None" : formatCents(winning),
              note:
                winning === null
                  ? "No other campaign would be served"
                  : "your own other campaigns count, too",
            },
            {
              label: "Lowest bid that serves",
              value: bidToWin === null ? NO_FIGURE : formatCents(bidToWin),
              note:
                bidToWin !== null
                  ? `the bid is ${formatCents(bidCents)}`
                  : failed.length > 0
                    ? "a rule fails before the bid counts"
                    : "no allowed bid that its money covers",
            },
            {
              label: "Rules passed",
              value: `${passed.length} of ${checks.length}`,
            },
          ]}
        />
        <details className={classes.passed}>
          <summary>{formatNoun(passed.length, "rule passes", "rules pass")}</summary>
          <div className={classes.groups}>
            {GROUPS.map(({ prefix, label }) => {
              const ofGroup = passed.filter(({ code }) => Math.floor(code / 100) === prefix);
              return (
                ofGroup.length > 0 && (
                  <Card key={label} padding="md">
                    <Title order={2} fz="md" mb="xs">
                      {label}
                    </Title>
                    <Checks checks={ofGroup} lineOf={lineOf} campaignId={campaign.id} />
                  </Card>
                )
              );
            })}
          </div>
        </details>
        <Chart
          title="Parts of the score"
          about="What each affinity adds in this scene."
          kind="rank"
          format="decimal"
          rowKey="affinity"
          rowLabel="Affinity"
          rows={answer.affinity_parts.map(({ affinity_type: type, affinity_value: value, contribution }) => ({
            affinity: `${formatTerm(type)}: ${value}`,
            contribution,
          }))}
          series={[{ key: "contribution", label: "Contribution", role: "own" }]}
          empty={<Status tone="quiet">The campaign has no affinities.</Status>}
        />
      </Stack>
    </section>
  );
}

interface ChecksProps {
  checks: readonly Check[];
  lineOf: (creativeId: string) => string | undefined;
  campaignId: string;
}

/** Each rule with what it compared; one that fails also with where that is changed. */
function Checks({ checks, lineOf, campaignId }: ChecksProps) {
  const { canChange } = useAbility();
  return (
    <ul className={classes.checks}>
      {checks.map(({ code, rule, passed, detail }) => {
        const fix = passed ? undefined : ruleFix(rule, campaignId);
        return (
          <li key={code} data-passed={passed}>
            {passed ? <IconCheck size={16} aria-label="Passed" /> : <IconX size={16} aria-label="Failed" />}
            <div>
              <Text fw={passed ? 400 : 600}>
                {ruleLabel(rule)}{" "}
                <Text span c="dimmed" fz="xs">
                  (code {code})
                </Text>
              </Text>
              <Text c="dimmed" fz="xs">
                {detailWords({ rule, detail }, lineOf)}
              </Text>
              {!passed && fix === undefined && (
                <Text c="dimmed" fz="xs">
                  The developer of the game decides this.
                </Text>
              )}
              {canChange && fix && (
                <Anchor component={Link} to={fix.to} fz="sm">
                  {fix.label}
                </Anchor>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
