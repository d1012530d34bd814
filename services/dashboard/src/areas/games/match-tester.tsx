import {
  Alert,
  Anchor,
  Button,
  Card,
  Collapse,
  Group,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { ApiError } from "../../api/api-error.ts";
import { callForResponse } from "../../api/call.ts";
import type { AnswerOf, BodyOf } from "../../api/operations.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility, useSession } from "../../api/session.ts";
import { type FieldSentences, useFieldProblems } from "../../api/use-field-problems.ts";
import {
  centsOfMillicents,
  formatCount,
  formatDecimal,
  formatExactCents,
  formatPercent,
  formatShare,
  formatTerm,
} from "../../format/format.ts";
import { Figures } from "../../kit/figures.tsx";
import { Id } from "../../kit/id.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { countryOptions } from "../../map/countries-list.ts";
import { Scene } from "../../scene/scene.tsx";
import { Story } from "../../scene/story.tsx";
import { reasonAdvice, reasonFix } from "./advice.ts";
import { gameIdProblem } from "./game-id-problem.ts";
import { GAME_DEFAULTS, gamePath, NEW_GAME } from "./placement.ts";
import { usePlacements } from "./reads.ts";
import {
  type GameContext,
  SCENE_FIELDS,
  sceneOf,
  sceneParameters,
  sceneSummary,
  type TestedScene,
  testerPath,
} from "./scene-link.ts";

type Ad = NonNullable<AnswerOf<"POST /match">>;

/** The answer to one request, with the scene that asked. */
interface Outcome {
  tested: TestedScene;
  ad: Ad | undefined;
  reason: string | undefined;
  milliseconds: number;
}

const SHOWN_SCENES = 6;

/** What an account without a game begins with: a scene that many campaigns fit. */
const FIRST_SCENE: GameContext = {
  location: "tavern",
  mood_tags: ["calm"],
  narrative: "Rain drums on the roof of the tavern.",
};

/** Asks the live service for an ad, as a game server would, and explains the answer. */
export function Component() {
  const [parameters, setParameters] = useSearchParams();
  const { canChange } = useAbility();
  const games = usePlacements();
  const { account } = useSession();
  const isFirst = games.data?.length === 0;
  const tested = sceneOf(parameters);
  const chosen =
    isFirst && parameters.size === 0
      ? { game: gameIdFrom(account), country: null, scene: FIRST_SCENE }
      : { ...tested, game: tested.game || (games.data?.[0]?.game_id ?? "") };
  const update = (next: Partial<TestedScene>) =>
    setParameters(sceneParameters({ ...chosen, ...next }), { replace: true, preventScrollReset: true });

  if (games.data === undefined && games.error) {
    return (
      <Page title="Match tester">
        <Card>
          <Failed
            what="The games could not be loaded."
            error={games.error}
            onRetry={() => void games.refetch()}
          />
        </Card>
      </Page>
    );
  }
  return (
    <Page
      title="Match tester"
      about="Describe a scene and ask for an ad, as your game server would: live, with the campaigns of this moment."
    >
      {!canChange ? (
        <Alert color="info" title="As a viewer you cannot ask for ads">
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
      <RecentScenes />
    </Page>
  );
}

const MAX_LABEL_PART = 80;
const ACCOUNT_PART = 6;

/** A proposal for the identifier of a first game: no other account's, since all accounts share one namespace. */
function gameIdFrom({ id, label }: { id: string; label: string }): string {
  const words = label.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join("-").slice(0, MAX_LABEL_PART);
  return [...(name === "" ? [] : [name]), "game", id.slice(-ACCOUNT_PART)].join("-");
}

function failureOf(error: unknown): string {
  const isRefusal = error instanceof ApiError && error.status >= 400 && error.status < 500;
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
  const { problem, clear, showRefusal } = useFieldProblems("POST /match", SCENE_FIELDS);
  const add = useChange("POST /placements/{game_id}");
  const { refetch } = usePlacements();
  const isFirst = games.length === 0;
  // Adding a game that exists would set it back: somebody may have added it since the page was opened.
  const addUnlessKnown = async (game: string) => {
    const { data } = await refetch({ throwOnError: true });
    if (data?.some(({ game_id: id }) => id === game)) return;
    await add.mutateAsync({ path: { game_id: game }, body: NEW_GAME });
  };
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    setAsking(true);
    setFailure(undefined);
    clear();
    add.reset();
    const asked = isFirst ? { ...chosen, game: chosen.game.trim() } : chosen;
    try {
      if (isFirst) {
        // The proposal disappears with the first game: what it says goes into the address.
        onChange(asked);
        await addUnlessKnown(asked.game);
      }
      const startedMs = performance.now();
      const response = await callForResponse("POST /match", { body: requestOf(asked) });
      const ad = response.status === 204 ? undefined : ((await response.json()) as Ad);
      setOutcome({
        tested: asked,
        ad,
        reason: response.headers.get("X-No-Match-Reason") ?? undefined,
        milliseconds: performance.now() - startedMs,
      });
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
        <form onSubmit={(event) => void ask(event)}>
          <SceneFields
            chosen={chosen}
            games={games}
            gameProblem={gameProblem ?? problem("game_id")}
            problem={problem}
            onChange={change}
          />
          <Group mt="md" justify="space-between">
            <Text c="dimmed" fz="xs">
              {isFirst
                ? `Adds the game: you keep ${formatPercent(GAME_DEFAULTS.sharePct)} of each charge. Asking charges nothing.`
                : "Nothing is charged. A match holds the price of one impression until it is recorded or expires."}
            </Text>
            <Button type="submit" loading={isAsking} disabled={chosen.game.trim() === ""}>
              {isFirst ? "Add game and ask for an ad" : "Ask for an ad"}
            </Button>
          </Group>
        </form>
      </Card>
      <section aria-label="Answer" aria-live="polite">
        {failure !== undefined && gameProblem === undefined ? (
          <Card>
            <Failed what={failureOf(failure)} error={failure} />
          </Card>
        ) : outcome === undefined ? (
          <Card>
            <Empty line="And then the innkeeper said …">
              The answer appears here: the line in its scene, why this campaign won, and what it costs.
            </Empty>
          </Card>
        ) : (
          <Stack>
            {isEdited && (
              <Alert color="info" title="You have changed the scene since">
                This is the answer to the scene as it was sent.
              </Alert>
            )}
            <Answer key={outcome.ad?.match_id ?? outcome.milliseconds} outcome={outcome} />
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
    user_id: `match-tester-${crypto.randomUUID()}`,
    ...(country !== null && { player_geo: { country_code: country } }),
    game_context: scene,
  };
}

const MORE_FIELDS = ["category", "theme_id", "actions"] as const;

interface SceneFieldsProps extends TesterProps {
  gameProblem: string | undefined;
  problem: FieldSentences<"POST /match">["problem"];
}

function SceneFields({ chosen, games, gameProblem, problem, onChange }: SceneFieldsProps) {
  const { game, country, scene } = chosen;
  const setScene = (field: keyof GameContext, value: string | string[]) =>
    onChange({ scene: { ...scene, [field]: value.length === 0 ? undefined : value } });
  const text = (field: "location" | "category" | "theme_id" | "narrative") => ({
    value: scene[field] ?? "",
    error: problem(`game_context.${field}`),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setScene(field, currentTarget.value),
  });
  const words = (field: "mood_tags" | "actions") => ({
    error: problem(`game_context.${field}`),
    value: [...(scene[field] ?? [])],
    onChange: (value: string[]) => setScene(field, value),
  });
  const hasMore = country !== null || MORE_FIELDS.some((field) => (scene[field] ?? "").length > 0);
  const hasProblem =
    problem("player_geo.country_code") !== undefined ||
    MORE_FIELDS.some((field) => problem(`game_context.${field}`) !== undefined);
  const [isOpened, setOpen] = useState(hasMore);
  const isOpen = isOpened || hasProblem;
  const [hadMore, setHadMore] = useState(hasMore);
  // A scene from a link may say more.
  if (hasMore !== hadMore) {
    setHadMore(hasMore);
    if (hasMore) setOpen(true);
  }
  return (
    <Stack>
      {games.length === 0 ? (
        <TextInput
          label="Game ID"
          description="Your own name for the game. Choose it once: your server sends it with every request."
          maxLength={100}
          value={game}
          error={gameProblem}
          onChange={({ currentTarget }) => onChange({ game: currentTarget.value })}
        />
      ) : (
        <Select
          label="Game"
          data={[...games]}
          value={game === "" ? null : game}
          error={gameProblem}
          onChange={(value) => onChange({ game: value ?? "" })}
          allowDeselect={false}
          searchable
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label="Location" placeholder="e.g. tavern" maxLength={200} {...text("location")} />
        <TagsInput
          label="Moods"
          placeholder={scene.mood_tags?.length ? "" : "e.g. calm"}
          {...words("mood_tags")}
        />
      </SimpleGrid>
      <Textarea
        label="Text of the scene"
        placeholder="e.g. Rain drums on the roof of the tavern while the party plans its next move."
        autosize
        minRows={3}
        maxLength={2_000}
        {...text("narrative")}
      />
      <div>
        <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Fewer fields" : "More fields"}
        </Button>
        <Collapse expanded={isOpen}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} mt="md">
            <Select
              label="Country of the player"
              data={[...countryOptions]}
              searchable
              clearable
              placeholder="Unknown"
              value={country}
              error={problem("player_geo.country_code")}
              onChange={(value) => onChange({ country: value })}
            />
            <TextInput label="Category" placeholder="e.g. fantasy" maxLength={200} {...text("category")} />
            <TextInput label="Theme" placeholder="e.g. medieval" maxLength={200} {...text("theme_id")} />
            <TagsInput
              label="Actions"
              placeholder={scene.actions?.length ? "" : "e.g. drink"}
              {...words("actions")}
            />
          </SimpleGrid>
        </Collapse>
      </div>
    </Stack>
  );
}

function Answer({ outcome }: { outcome: Outcome }) {
  const { ad, tested, reason, milliseconds } = outcome;
  const { scene, game } = tested;
  if (ad === undefined) {
    const advice = reasonAdvice(reason ?? "no_eligible_campaign");
    const fix = reasonFix(reason, game);
    return (
      <Card>
        <Stack>
          <Status tone="warning">No ad: {advice.label.toLowerCase()}</Status>
          <Text>{advice.means}</Text>
          <Text>
            <Text span fw={600}>
              What helps:{" "}
            </Text>
            {advice.helps}
          </Text>
          <Text c="dimmed" fz="xs">
            204 with X-No-Match-Reason: {reason ?? "none"}, after {formatCount(milliseconds)} ms. A game goes
            on with its own scene.
          </Text>
          <Group>
            {reason === "no_campaigns" ? (
              <Button variant="default" component={Link} to="/">
                Set up a campaign
              </Button>
            ) : (
              <Button variant="default" component={Link} to={fix.path}>
                {fix.label}
              </Button>
            )}
          </Group>
        </Stack>
      </Card>
    );
  }
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

function Explained({ ad, milliseconds }: { ad: Ad; milliseconds: number }) {
  const { affinity_score: score, cpm_bid_cents: bid, brand_name: brand } = ad;
  const factor = 1 + score / (1 + score);
  return (
    <>
      <Figures
        figures={[
          { label: "Bid", value: formatExactCents(bid), note: "for a thousand impressions" },
          {
            label: "Affinity score",
            value: formatDecimal(score),
            note: score === 0 ? "no affinity fits" : "from affinities that fit",
          },
          {
            label: "Rank",
            value: formatDecimal(bid * factor),
            note: `the bid in cents × ${formatDecimal(factor)}`,
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
  const record = useChange("POST /impressions");
  const placements = usePlacements();
  const { match_id, campaign_id, creative_id } = ad;
  // One impression costs as many millicents as the bid has cents.
  const cents = centsOfMillicents(ad.cpm_bid_cents);
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
        <Anchor component={Link} to={`/snippets?game=${encodeURIComponent(game)}`}>
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
          <Button
            variant="outline"
            h="auto"
            mih={36}
            py={6}
            styles={{ label: { whiteSpace: "normal", lineHeight: 1.3 } }}
            loading={record.isPending}
            onClick={() => record.mutate({ body: { game_id: game, campaign_id, creative_id, match_id } })}
          >
            Record impression and charge {ad.brand_name} {price}
          </Button>
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
        <Text
          component="pre"
          ff="monospace"
          fz="xs"
          style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
        >
          {JSON.stringify(ad, null, 2)}
        </Text>
      </Collapse>
    </div>
  );
}

function RecentScenes() {
  const scenes = useRead("GET /no-match-scenes", { query: { limit: SHOWN_SCENES } });
  if (scenes.data === undefined && scenes.error) {
    return (
      <Card>
        <Failed
          what="The recent scenes could not be loaded."
          error={scenes.error}
          onRetry={() => void scenes.refetch()}
        />
      </Card>
    );
  }
  if (scenes.data === undefined || scenes.data.length === 0) return null;
  return (
    <Section
      title="Begin with a scene that got no ad"
      about="Recent scenes of your games, without their players."
    >
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {scenes.data.map((scene) => (
          <Card key={`${scene.at} ${JSON.stringify(scene.game_context)}`} padding="md">
            <Stack gap={8}>
              <Text fw={600}>{sceneSummary(scene.game_context)}</Text>
              <Text c="dimmed" fz="xs">
                {scene.game_id} · {reasonAdvice(scene.reason).label}
              </Text>
              <Group>
                <Button component={Link} to={testerPath(scene)} variant="default" size="compact-sm">
                  Use this scene
                </Button>
              </Group>
            </Stack>
          </Card>
        ))}
      </SimpleGrid>
    </Section>
  );
}
