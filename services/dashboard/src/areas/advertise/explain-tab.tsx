import {
  Alert,
  Autocomplete,
  Button,
  Card,
  Group,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import type { AnswerOf, BodyOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { Chart } from "../../charts/chart.tsx";
import { formatCents, formatDecimal, formatTerm, withMoney } from "../../format/format.ts";
import { Figures } from "../../kit/figures.tsx";
import { Failed } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { countryOptions } from "../../map/countries-list.ts";
import classes from "./explain-tab.module.css";
import { type Campaign, pathOf, useCampaign } from "./use-campaign.ts";

type Request = BodyOf<"POST /campaigns/{campaign_id}/explain">;
type Explanation = AnswerOf<"POST /campaigns/{campaign_id}/explain">;

const GROUPS: { prefix: number; label: string }[] = [
  { prefix: 1, label: "The campaign" },
  { prefix: 2, label: "The game" },
  { prefix: 3, label: "Targeting" },
  { prefix: 4, label: "Money" },
  { prefix: 5, label: "Caps" },
];

/** Why the campaign would or would not serve a scene, rule by rule. */
export function Component() {
  const campaign = useCampaign();
  const stats = useRead("GET /campaigns/{campaign_id}/stats", pathOf(campaign));
  const scenes = useRead("GET /no-match-scenes", { query: { limit: 20 } });
  const games = useRead("GET /placements", { query: { limit: 500 } });
  const [gameId, setGameId] = useState("");
  const [country, setCountry] = useState<string | null>(null);
  const [scene, setScene] = useState<Request["game_context"]>({});
  const [answer, setAnswer] = useState<Explanation>();
  const [failure, setFailure] = useState<ApiError>();
  const [isAsking, setAsking] = useState(false);
  const known = [
    ...new Set([stats.data?.top_game_id, ...(games.data ?? []).map((game) => game.game_id)]),
  ].filter((id) => typeof id === "string");
  const chosenGame = gameId || known[0] || "";
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    setAsking(true);
    setFailure(undefined);
    try {
      const body: Request = {
        game_id: chosenGame,
        user_id: "explain",
        game_context: scene,
        ...(country !== null && { player_geo: { country_code: country } }),
      };
      setAnswer(await call("POST /campaigns/{campaign_id}/explain", { ...pathOf(campaign), body }));
    } catch (error) {
      setAnswer(undefined);
      setFailure(error instanceof ApiError ? error : new ApiError(0, String(error)));
    } finally {
      setAsking(false);
    }
  };
  const text = (field: "theme_id" | "category" | "location" | "narrative") => ({
    value: scene[field] ?? "",
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      const { value } = currentTarget;
      setScene((former) => ({ ...former, [field]: value === "" ? undefined : value }));
    },
  });
  return (
    <>
      <Card>
        <form onSubmit={(event) => void ask(event)}>
          <Stack>
            <Text c="dimmed">
              Describe a scene as a game would send it. Nothing is served, held or billed; the player counts
              as new.
            </Text>
            {scenes.data && scenes.data.length > 0 && (
              <Select
                label="A recent scene without an ad (optional)"
                description="From your own games. Choosing one fills in the fields below."
                placeholder="Choose a scene"
                data={scenes.data.map((one, index) => ({ value: String(index), label: sceneLabel(one) }))}
                onChange={(value) => {
                  const one = scenes.data[Number(value)];
                  if (value === null || one === undefined) return;
                  setGameId(one.game_id);
                  setCountry(one.country_code);
                  setScene(one.game_context);
                }}
              />
            )}
            <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
              <Autocomplete
                label="Game"
                description="Any game that accepts ads."
                data={known}
                value={chosenGame}
                onChange={setGameId}
                required
                withAsterisk={false}
              />
              <Select
                label="Country of the player"
                data={[...countryOptions]}
                searchable
                clearable
                placeholder="Unknown"
                value={country}
                onChange={setCountry}
              />
              <TextInput label="Location" placeholder="tavern" maxLength={200} {...text("location")} />
              <TextInput label="Category" placeholder="fantasy" maxLength={200} {...text("category")} />
              <TextInput label="Theme" placeholder="medieval" maxLength={200} {...text("theme_id")} />
              <TagsInput
                label="Moods"
                placeholder={scene.mood_tags?.length ? "" : "calm"}
                value={scene.mood_tags ?? []}
                onChange={(value) => setScene((former) => ({ ...former, mood_tags: value }))}
              />
              <TagsInput
                label="Actions"
                placeholder={scene.actions?.length ? "" : "drink"}
                value={scene.actions ?? []}
                onChange={(value) => setScene((former) => ({ ...former, actions: value }))}
              />
            </SimpleGrid>
            <Textarea
              label="Text of the scene"
              placeholder="Rain drums on the roof of the tavern while the party plans its next move."
              autosize
              minRows={2}
              maxLength={2_000}
              {...text("narrative")}
            />
            <Group>
              <Button type="submit" loading={isAsking} disabled={chosenGame === ""}>
                Explain
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
      {failure && (
        <Card>
          <Failed what="The scene could not be explained." error={failure} />
        </Card>
      )}
      {answer && <Answer answer={answer} campaign={campaign} />}
    </>
  );
}

function sceneLabel({
  game_id: game,
  reason,
  game_context: scene,
}: AnswerOf<"GET /no-match-scenes">[number]) {
  const where = [scene.location, scene.theme_id, scene.category].find((word) => word !== undefined);
  const what = where ?? scene.narrative?.slice(0, 60) ?? "a scene without words";
  return `${game}: ${what} (${formatTerm(reason)})`;
}

function Answer({ answer, campaign }: { answer: Explanation; campaign: Campaign }) {
  const { canChange } = useAbility();
  const { would_serve: wouldServe, checks, rank, winning_rank: winning, affinity_score: score } = answer;
  const { cpm_bid_cents: bidCents } = campaign;
  const bidToWin = answer.bid_to_win_cents;
  const failed = checks.filter(({ passed }) => !passed);
  const sentence = wouldServe
    ? "The campaign would be served in this scene."
    : failed.length > 0
      ? `The campaign is not served: ${failed.length === 1 ? "one rule fails" : `${failed.length} rules fail`}.`
      : "Every rule passes, but another campaign ranks higher.";
  return (
    <section aria-live="polite" aria-label="Explanation">
      <Stack gap="lg">
        <Alert color={wouldServe ? "positive" : "negative"} title={sentence}>
          <Stack gap="sm" align="flex-start">
            {withMoney(answer.summary)}
            {canChange && bidToWin !== null && bidToWin !== bidCents && (
              <Button
                component={Link}
                to={`/campaigns/${campaign.id}/settings?bid=${bidToWin}`}
                variant="default"
                size="compact-md"
              >
                {`${bidToWin > bidCents ? "Raise" : "Lower"} the bid to ${formatCents(bidToWin)} in the settings`}
              </Button>
            )}
          </Stack>
        </Alert>
        <Figures
          figures={[
            {
              label: "Rank",
              value: formatDecimal(rank),
              note: `from a bid of ${formatDecimal(bidCents / 100)} and a score of ${formatDecimal(score)}`,
            },
            {
              label: "Best other rank",
              value: winning === null ? "None" : formatDecimal(winning),
              note: winning === null ? "Nobody else would be served" : undefined,
            },
            {
              label: "Lowest bid that serves",
              value: bidToWin === null ? "None" : formatCents(bidToWin),
              note: `the bid is ${formatCents(bidCents)}`,
            },
            {
              label: "Rules passed",
              value: `${checks.length - failed.length} of ${checks.length}`,
            },
          ]}
        />
        <div className={classes.groups}>
          {GROUPS.map(({ prefix, label }) => (
            <Card key={label} padding="md">
              <Title order={2} fz={16} mb="xs">
                {label}
              </Title>
              <ul className={classes.checks}>
                {checks
                  .filter(({ code }) => Math.floor(code / 100) === prefix)
                  .map(({ code, rule, passed, detail }) => (
                    <li key={code} data-passed={passed}>
                      {passed ? (
                        <IconCheck size={16} stroke={1.5} aria-label="Passed" />
                      ) : (
                        <IconX size={16} stroke={1.5} aria-label="Failed" />
                      )}
                      <div>
                        <Text fw={passed ? 400 : 600}>
                          {formatTerm(rule)}{" "}
                          <Text span c="dimmed" fz={13}>
                            {code}
                          </Text>
                        </Text>
                        <Text c="dimmed" fz={13}>
                          {withMoney(detail)}
                        </Text>
                      </div>
                    </li>
                  ))}
              </ul>
            </Card>
          ))}
        </div>
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
