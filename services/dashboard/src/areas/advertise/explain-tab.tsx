import {
  Alert,
  Anchor,
  Autocomplete,
  Button,
  Card,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { call } from "../../api/call.ts";
import type { AnswerOf, BodyOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useFieldProblems } from "../../api/use-field-problems.ts";
import { Chart } from "../../charts/chart.tsx";
import { formatAgo, formatCents, formatDecimal, formatNoun, formatTerm } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { NO_FIGURE } from "../../kit/columns.tsx";
import { Figures } from "../../kit/figures.tsx";
import { Form } from "../../kit/form.tsx";
import { NotLoaded } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { useAnswerInView } from "../../kit/use-answer-in-view.ts";
import { useTypedSearchParams } from "../../kit/use-url-state.ts";
import { reasonAdvice } from "../games/advice.ts";
import { sceneInputs } from "../games/scene-inputs.tsx";
import { SCENE_FIELDS, sceneOf, sceneParameters, type TestedScene } from "../games/scene-link.ts";
import classes from "./explain-tab.module.css";
import { detailWords, ruleFix, ruleLabel, verdictOf } from "./explain-words.ts";
import { type Campaign, pathOf, useCampaign } from "./use-campaign.ts";

type Request = BodyOf<"POST /campaigns/{campaign_id}/explain">;
type Explanation = AnswerOf<"POST /campaigns/{campaign_id}/explain">;
type RecentScene = AnswerOf<"GET /no-match-scenes">[number];

const GROUPS: { prefix: number; label: string }[] = [
  { prefix: 1, label: "The campaign" },
  { prefix: 2, label: "The game" },
  { prefix: 3, label: "Targeting" },
  { prefix: 4, label: "Money" },
  { prefix: 5, label: "Caps" },
];

/** Why the campaign would or would not serve a scene, rule by rule; the scene is in the address. */
export function Component() {
  const campaign = useCampaign();
  const stats = useRead("GET /campaigns/{campaign_id}/stats", pathOf(campaign));
  const scenes = useRead("GET /no-match-scenes", { query: { limit: 20 } });
  const games = useRead("GET /placements", { query: { limit: 500 } });
  // Who has no game, and was matched in none, can try the one that everybody may play.
  const demo = useRead("GET /demo");
  const [parameters, setParameters] = useTypedSearchParams();
  const [explained, setExplained] = useState<{ request: string; answer: Explanation }>();
  const { problem, failure, clear, check, showRefusal } = useFieldProblems(
    "POST /campaigns/{campaign_id}/explain",
    SCENE_FIELDS,
  );
  const [isAsking, setAsking] = useState(false);
  const answer = useAnswerInView<HTMLDivElement>(explained);
  const known = [
    ...new Set([
      stats.data?.top_game_id,
      ...(games.data ?? []).map((game) => game.game_id),
      demo.data?.game_id,
    ]),
  ].filter((id) => typeof id === "string");
  const newest = scenes.data?.[0];
  const [proposed, setProposed] = useState<URLSearchParams>();
  const isProposed = proposed !== undefined && parameters.size === 0;
  // Proposed once: a later scene must not replace the one that is being read.
  if (proposed === undefined && parameters.size === 0 && newest !== undefined) {
    setProposed(sceneParameters(testedOf(newest)));
  }
  const shown = isProposed ? proposed : parameters;
  const tested = sceneOf(shown);
  const { country, scene } = tested;
  const recent = new Map(scenes.data?.map((one) => [`${one.at} ${one.game_id}`, one]));
  const [picked, setPicked] = useState<string>();
  const same = [...recent].filter(([, one]) => isSameScene(testedOf(one), tested)).map(([key]) => key);
  const shownKey = same.find((key) => key === picked) ?? same[0] ?? null;
  // An empty parameter is a game that was emptied; without one, the first of the known ones is proposed.
  const chosenGame = shown.get("game") ?? known[0] ?? "";
  const update = (change: Partial<TestedScene>) => {
    clear();
    const next = sceneParameters({ ...tested, ...change });
    if (!next.has("game") && (shown.has("game") || change.game !== undefined)) next.set("game", "");
    setParameters(next);
  };
  const body: Request = {
    game_id: chosenGame,
    user_id: "explain",
    game_context: scene,
    ...(country !== null && { player_geo: { country_code: country } }),
  };
  const request = JSON.stringify(body);
  const ask = async () => {
    if (!check(body)) return;
    if (isProposed) setParameters(shown);
    setAsking(true);
    try {
      const given = await call("POST /campaigns/{campaign_id}/explain", { ...pathOf(campaign), body });
      setExplained({ request, answer: given });
    } catch (error) {
      setExplained(undefined);
      showRefusal(error);
    } finally {
      setAsking(false);
    }
  };
  const inputs = sceneInputs({ tested, problem, onChange: update });
  return (
    <>
      <Card>
        <Form onSend={ask}>
          <Stack>
            <Text c="dimmed">
              Describe a scene as a game would send it. Nothing is served, held or billed; the player counts
              as new.
            </Text>
            {(scenes.data === undefined ? scenes.isError : scenes.data.length > 0) && (
              <Select
                label="A recent scene without an ad (optional)"
                description={
                  isProposed
                    ? "From your own games. The newest one is filled in below."
                    : "From your own games. Choosing one fills in the fields below."
                }
                placeholder="Choose a scene"
                error={
                  scenes.data === undefined && (
                    <>
                      Recent scenes: <NotLoaded label="Recent scenes" read={scenes} />
                    </>
                  )
                }
                data={[...recent].map(([value, one]) => ({ value, label: sceneLabel(one) }))}
                value={shownKey}
                allowDeselect={false}
                onChange={(value) => {
                  const one = recent.get(value ?? "");
                  if (value === null || one === undefined) return;
                  setPicked(value);
                  update(testedOf(one));
                }}
              />
            )}
            <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
              <Autocomplete
                label="Game"
                description="The ID of any game that accepts ads."
                data={known}
                value={chosenGame}
                onChange={(value) => update({ game: value })}
                error={problem("game_id")}
                required
                withAsterisk={false}
              />
              {inputs.country}
              {inputs.location}
              {inputs.category}
              {inputs.theme}
              {inputs.moods}
              {inputs.actions}
            </SimpleGrid>
            {inputs.narrative}
            {failure && (
              <Alert color="negative" title="The scene could not be explained.">
                {failure}
              </Alert>
            )}
            <Group>
              <Button type="submit" loading={isAsking}>
                Explain
              </Button>
            </Group>
          </Stack>
        </Form>
      </Card>
      {explained && explained.request !== request && (
        <Alert color="warning" title="The scene was changed since">
          What follows is about the former one. Explain again for the scene above.
        </Alert>
      )}
      <div ref={answer} aria-live="polite" className={classes.answer}>
        {explained && <Answer answer={explained.answer} campaign={campaign} />}
      </div>
    </>
  );
}

function testedOf({ game_id: game, country_code: country, game_context: scene }: RecentScene): TestedScene {
  return { game, country, scene };
}

function isSameScene(one: TestedScene, other: TestedScene): boolean {
  return sceneParameters(one).toString() === sceneParameters(other).toString();
}

function sceneLabel({ at, game_id: game, reason, game_context: scene }: RecentScene) {
  const where = [scene.location, scene.theme_id, scene.category].find((word) => word !== undefined);
  const what = where ?? scene.narrative?.slice(0, 60) ?? "a scene without words";
  return `${game}: ${what} (${reasonAdvice(reason).label}, ${formatAgo(at, Date.now())})`;
}

type Check = Explanation["checks"][number];

function Answer({ answer, campaign }: { answer: Explanation; campaign: Campaign }) {
  const { canChange } = useAbility();
  const creatives = useRead("GET /campaigns/{campaign_id}/creatives", pathOf(campaign));
  const { would_serve: wouldServe, checks, rank, winning_rank: winning, affinity_score: score } = answer;
  const { cpm_bid_cents: bidCents } = campaign;
  const bidToWin = answer.bid_to_win_cents;
  const failed = checks.filter(({ passed }) => !passed);
  const passed = checks.filter(({ passed: isPassed }) => isPassed);
  const verdict = verdictOf(answer, bidCents);
  const lineOf = (id: string) => {
    const creative = creatives.data?.find((one) => one.id === id);
    return creative?.narrative_hook ?? creative?.brand_name;
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
              label: "Best other rank",
              value: winning === null ? "None" : formatCents(winning),
              note: winning === null ? "Nobody else would be served" : undefined,
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
            {passed ? (
              <IconCheck size={16} stroke={1.5} aria-label="Passed" />
            ) : (
              <IconX size={16} stroke={1.5} aria-label="Failed" />
            )}
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
