import { Alert, Button, Card, Group, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { callForResponse, readJson } from "../../api/call.ts";
import { newUuid } from "../../api/new-uuid.ts";
import type { BodyOf } from "../../api/operations.ts";
import { useChange } from "../../api/queries.ts";
import { retryChanges } from "../../api/retry.ts";
import { useAbility, useSession } from "../../api/session.ts";
import { useFieldProblems } from "../../api/use-field-problems.ts";
import { formatPercent } from "../../format/format.ts";
import { Form } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { useAnswerInView } from "../../kit/use-answer-in-view.ts";
import { useTypedSearchParams } from "../../kit/use-url-state.ts";
import { gameIdOf, gameIdProblem } from "./game-id-problem.ts";
import { type Ad, MatchAnswer, type Outcome } from "./match-answer.tsx";
import { NEW_GAME, SHARE_PCT } from "./placement.ts";
import { useHasGame, usePlacements } from "./reads.ts";
import { RecentScenes } from "./recent-scenes.tsx";
import { SceneFields } from "./scene-fields.tsx";
import { type GameContext, SCENE_FIELDS, sceneOf, sceneParameters, type TestedScene } from "./scene-link.ts";

/** What an account without a game begins with: a scene that many campaigns fit. */
const FIRST_SCENE: GameContext = {
  location: "tavern",
  mood_tags: ["calm"],
  narrative: "Rain drums on the roof of the tavern.",
};

/** Asks the live service for an ad, as a game server would, and explains the answer. */
export function Component() {
  const [parameters, setParameters] = useTypedSearchParams();
  const { canChange } = useAbility();
  const games = usePlacements();
  const { account } = useSession();
  const isFirst = games.data?.length === 0;
  const tested = sceneOf(parameters);
  const chosen =
    isFirst && parameters.size === 0
      ? { game: gameIdFrom(account), country: null, scene: FIRST_SCENE }
      : { ...tested, game: tested.game || (games.data?.[0]?.game_id ?? "") };
  const update = (next: Partial<TestedScene>) => setParameters(sceneParameters({ ...chosen, ...next }));

  if (games.data === undefined && games.error) {
    return (
      <Page title="Match tester">
        <Failed isCard what="The games could not be loaded." read={games} />
      </Page>
    );
  }
  return (
    <Page
      title="Match tester"
      about="Describe a scene and ask for an ad, as your game server would: live, with the campaigns of this moment."
    >
      {!canChange ? (
        <Alert role="note" color="info" title="As a viewer you cannot ask for ads">
          A match holds an advertiser's money. Managers and owners can test scenes.
        </Alert>
      ) : games.data === undefined ? (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <Skeleton height={360} />
          <Skeleton height={200} />
        </SimpleGrid>
      ) : (
        <Tester chosen={chosen} games={games.data.map(({ game_id: id }) => id)} onChange={update} />
      )}
      {canChange && <RecentScenes />}
    </Page>
  );
}

const MAX_LABEL_PART = 80;
const ACCOUNT_PART = 6;

/** A proposal for the identifier of a first game: no other account's, since all accounts share one namespace. */
function gameIdFrom({ id, label }: { id: string; label: string }): string {
  const name = gameIdOf(label).slice(0, MAX_LABEL_PART);
  return [...(name === "" ? [] : [name]), "game", id.slice(-ACCOUNT_PART)].join("-");
}

function failureOf(error: unknown): string {
  const isRefusal = error instanceof ApiError && error.isRefusal;
  return isRefusal ? "The service refused the request." : "The request failed. Ask again for another try.";
}

interface TesterProps {
  chosen: TestedScene;
  /** None yet: the game is added with the first request. */
  games: readonly string[];
  onChange: (next: Partial<TestedScene>) => void;
}

function Tester({ chosen, games, onChange }: TesterProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [failure, setFailure] = useState<unknown>();
  const [isAsking, setAsking] = useState(false);
  const { problem, clear, check, showRefusal } = useFieldProblems("POST /match", SCENE_FIELDS);
  const add = useChange("POST /placements/{game_id}", retryChanges);
  const match = useMutation({ mutationFn: askForAd, ...retryChanges });
  const hasGame = useHasGame();
  const isFirst = games.length === 0;
  const isUnknownGame = !isFirst && chosen.game !== "" && !games.includes(chosen.game);
  const answerProps = useAnswerInView<HTMLElement>(outcome ?? failure);
  const ask = async () => {
    const asked = isFirst ? { ...chosen, game: chosen.game.trim() } : chosen;
    setFailure(undefined);
    add.reset();
    if (!check(requestOf(asked), { game_id: isUnknownGame ? UNKNOWN_GAME : undefined })) return;
    setAsking(true);
    try {
      if (isFirst) {
        // The proposal disappears with the first game: what it says goes into the address.
        onChange(asked);
        // Somebody may have added it since the page was opened.
        if (!(await hasGame(asked.game))) {
          await add.mutateAsync({ path: { game_id: asked.game }, body: NEW_GAME });
        }
      }
      setOutcome(await match.mutateAsync(asked));
    } catch (error) {
      setOutcome(undefined);
      if (!showRefusal(error)) setFailure(error);
    } finally {
      setAsking(false);
    }
  };
  const gameProblem = isFirst ? gameIdProblem(add.error) : undefined;
  const isEdited =
    outcome !== undefined && `${sceneParameters(outcome.tested)}` !== `${sceneParameters(chosen)}`;
  const change = (next: Partial<TestedScene>) => {
    clear();
    if (next.game !== undefined && gameProblem !== undefined) {
      add.reset();
      setFailure(undefined);
    }
    onChange(next);
  };
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: "start" }}>
      <Card component="section" aria-label="Scene">
        <Form onSend={ask}>
          <SceneFields
            chosen={chosen}
            games={games}
            gameProblem={gameProblem ?? problem("game_id") ?? (isUnknownGame ? UNKNOWN_GAME : undefined)}
            problem={problem}
            onChange={change}
          />
          <Group mt="md" justify="space-between">
            <Text c="dimmed" fz="xs">
              {isFirst
                ? `Adds the game: you keep ${formatPercent(SHARE_PCT.usual)} of each charge. Asking charges nothing.`
                : "Nothing is charged. A match holds the price of one impression until it is recorded or expires."}
            </Text>
            <Button type="submit" loading={isAsking}>
              {isFirst ? "Add game and ask for an ad" : "Ask for an ad"}
            </Button>
          </Group>
        </Form>
      </Card>
      <section {...answerProps} aria-label="Answer">
        {failure !== undefined && gameProblem === undefined ? (
          <Failed isCard what={failureOf(failure)} read={{ error: failure }} />
        ) : outcome === undefined ? (
          <Empty isCard line="And then the innkeeper said …">
            The answer appears here: the line in its scene, why this campaign won, and what it costs.
          </Empty>
        ) : (
          <Stack>
            {isEdited && (
              <Alert role="status" color="info" title="You have changed the scene since">
                This is the answer to the scene as it was sent.
              </Alert>
            )}
            <MatchAnswer key={outcome.ad?.match_id ?? outcome.milliseconds} outcome={outcome} />
          </Stack>
        )}
      </section>
    </SimpleGrid>
  );
}

/** Each request is a player of its own, so that no cap of an earlier test stands in the way. */
function requestOf({ game, country, scene }: TestedScene): BodyOf<"POST /match"> {
  return {
    game_id: game,
    user_id: `match-tester-${newUuid()}`,
    ...(country !== null && { player_geo: { country_code: country } }),
    game_context: scene,
  };
}

async function askForAd(tested: TestedScene): Promise<Outcome> {
  const startedMs = performance.now();
  const response = await callForResponse("POST /match", { body: requestOf(tested) });
  const ad = response.status === 204 ? undefined : await readJson<Ad>(response);
  return {
    tested,
    ad,
    reason: response.headers.get("X-No-Match-Reason") ?? undefined,
    milliseconds: performance.now() - startedMs,
  };
}

const UNKNOWN_GAME = "This account has no game of the ID in the address. Choose one of its own.";
