import { Alert, Autocomplete, Button, Card, Group, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { useEffect, useEffectEvent, useState } from "react";
import { call } from "../../api/call.ts";
import type { BodyOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { useFieldProblems } from "../../api/use-field-problems.ts";
import { formatAgo } from "../../format/format.ts";
import { Form } from "../../kit/form.tsx";
import { NotLoaded } from "../../kit/states.tsx";
import { useAnswerInView } from "../../kit/use-answer-in-view.ts";
import { useTypedSearchParams } from "../../kit/use-url-state.ts";
import { usePlacements } from "../games/reads.ts";
import { reasonAdvice } from "../games/reason-advice.ts";
import { sceneInputs } from "../games/scene-inputs.tsx";
import {
  distinctScenes,
  type NoMatchScene,
  SCENE_FIELDS,
  sceneOf,
  sceneParameters,
  type TestedScene,
} from "../games/scene-link.ts";
import type { Explanation } from "./explain-words.ts";
import { ExplanationReport } from "./explanation-report.tsx";
import { pathOf, useCampaign } from "./use-campaign.ts";

type Request = BodyOf<"POST /campaigns/{campaign_id}/explain">;

const MAX_RECENT_SCENES = 20;

/** Why the campaign would or would not serve a scene, rule by rule; the scene is in the address. */
export function Component() {
  const campaign = useCampaign();
  const stats = useRead("GET /campaigns/{campaign_id}/stats", pathOf(campaign));
  const scenes = useRead("GET /no-match-scenes");
  const games = usePlacements();
  // Who has no game, and was matched in none, can try the one that everybody may play.
  const demo = useRead("GET /demo");
  const [parameters, setParameters] = useTypedSearchParams();
  const [explained, setExplained] = useState<{ request: string; answer: Explanation }>();
  const { problem, failure, clear, check, showRefusal } = useFieldProblems(
    "POST /campaigns/{campaign_id}/explain",
    SCENE_FIELDS,
  );
  const [isAsking, setAsking] = useState(false);
  const answerProps = useAnswerInView<HTMLDivElement>(explained);
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
  const recent = new Map(
    distinctScenes(scenes.data ?? [])
      .slice(0, MAX_RECENT_SCENES)
      .map((one) => [keyOf(testedOf(one)), one]),
  );
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
  // A link, a reload and coming back from another page lead to the answer, too.
  const askAtFirst = useEffectEvent(() => {
    if (parameters.get("game")) void ask();
  });
  useEffect(() => askAtFirst(), []);
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
                error={scenes.data === undefined && <NotLoaded label="Recent scenes" isNamed read={scenes} />}
                data={[...recent].map(([value, one]) => ({ value, label: sceneLabel(one) }))}
                value={recent.has(keyOf(tested)) ? keyOf(tested) : null}
                allowDeselect={false}
                onChange={(value) => {
                  const one = recent.get(value ?? "");
                  if (one !== undefined) update(testedOf(one));
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
      <div {...answerProps}>
        {explained && <ExplanationReport answer={explained.answer} campaign={campaign} />}
      </div>
    </>
  );
}

function testedOf({ game_id: game, country_code: country, game_context: scene }: NoMatchScene): TestedScene {
  return { game, country, scene };
}

function keyOf(scene: TestedScene): string {
  return sceneParameters(scene).toString();
}

function sceneLabel({ at, game_id: game, reason, game_context: scene }: NoMatchScene) {
  const where = [scene.location, scene.theme_id, scene.category].find((word) => word !== undefined);
  const what = where ?? scene.narrative?.slice(0, 60) ?? "a scene without words";
  return `${game}: ${what} (${reasonAdvice(reason).label}, ${formatAgo(at, Date.now())})`;
}
