import { Autocomplete, Card, Group, Skeleton, Stack, Text, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { type ApiError, hasStatus } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { requestSchema } from "../../api/use-field-problems.ts";
import { Chart } from "../../charts/chart.tsx";
import { formatDecimal, formatTerm } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { SentenceButton } from "../../kit/sentence-button.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { useTypedUrlState } from "../../kit/use-url-state.ts";
import { Scene } from "../../scene/scene.tsx";
import { Story } from "../../scene/story.tsx";
import classes from "./creative-editor.module.css";
import { pathOf, useCampaign } from "./use-campaign.ts";

const { properties: SCENE } = requestSchema("POST /campaigns/{campaign_id}/simulate");
const DEBOUNCE_MS = 500;
const FIRST_MOOD = "calm";

/** The campaign in a scene of one's own: what the stage becomes, and where the score comes from. */
export function Component() {
  const campaign = useCampaign();
  const { canChange } = useAbility();
  const at = pathOf(campaign);
  const [mood, setMood] = useTypedUrlState("mood", FIRST_MOOD);
  const [narrative, setNarrative] = useTypedUrlState("narrative");
  const options = useRead("GET /campaigns/{campaign_id}/simulate/options", at);
  const [debouncedMood] = useDebouncedValue(mood, DEBOUNCE_MS);
  const [debouncedNarrative] = useDebouncedValue(narrative, DEBOUNCE_MS);
  const body = {
    ...(debouncedMood.trim() !== "" && { mood: debouncedMood }),
    ...(debouncedNarrative.trim() !== "" && { narrative_function: debouncedNarrative }),
  };
  const simulation = useQuery<AnswerOf<"POST /campaigns/{campaign_id}/simulate">, ApiError>({
    queryKey: ["simulate", campaign.id, body],
    queryFn: ({ signal }) => call("POST /campaigns/{campaign_id}/simulate", { ...at, body }, { signal }),
    placeholderData: keepPreviousData,
  });
  const { data } = simulation;
  /** What is shown is of a former mood or text. */
  const isStale = simulation.isPlaceholderData || mood !== debouncedMood || narrative !== debouncedNarrative;
  const creatives = useRead("GET /campaigns/{campaign_id}/creatives", at);
  const brand = creatives.data?.find(({ id }) => id === data?.matched_creative.id)?.brand_name;
  if (hasStatus(simulation.error, 409)) {
    return (
      <Empty
        isCard
        line="The page is still blank."
        action={
          canChange && (
            <ButtonLink to={`/campaigns/${campaign.id}/creatives/new`} variant="default">
              Write a creative
            </ButtonLink>
          )
        }
      >
        There is a scene to look at as soon as the campaign has a creative.
      </Empty>
    );
  }
  const scores = Object.entries(data?.affinity_scores ?? {}).map(([type, score]) => ({
    type: formatTerm(type),
    score,
  }));
  return (
    <div className={classes.editor}>
      <Card>
        <Stack>
          <Text c="dimmed">
            Nothing is held, counted or billed here. The score is computed as in a real match.
          </Text>
          <Autocomplete
            label="Mood"
            description="One of the proposed moods, or any other."
            data={options.data?.moods ?? []}
            value={mood}
            onChange={setMood}
            maxLength={SCENE?.mood?.maxLength}
          />
          <Textarea
            label="What happens in the scene"
            description="Used as the text, theme, location and action of the scene."
            autosize
            minRows={3}
            value={narrative}
            onChange={({ currentTarget }) => setNarrative(currentTarget.value)}
            maxLength={SCENE?.narrative_function?.maxLength}
            classNames={{ input: classes.line ?? "" }}
          />
          {options.data && options.data.narrative_examples.length > 0 && (
            <div>
              <Text fz="xs" c="dimmed" mb={4}>
                Try one of these
              </Text>
              <Group gap={8}>
                {options.data.narrative_examples.slice(0, 5).map((example) => (
                  <SentenceButton
                    key={example}
                    variant="default"
                    size="compact-sm"
                    fw={400}
                    onClick={() => setNarrative(example)}
                  >
                    {example}
                  </SentenceButton>
                ))}
              </Group>
            </div>
          )}
        </Stack>
      </Card>
      <Stack className={classes.preview ?? ""} aria-busy={isStale}>
        {simulation.error && data === undefined ? (
          <Failed isCard what="The scene could not be simulated." read={simulation} />
        ) : data === undefined ? (
          <Skeleton height={420} />
        ) : (
          <Scene pipeline={data.biased_pipeline} place={narrative} hasChips>
            <Story
              before={narrative.trim() === "" ? undefined : narrative}
              line={data.matched_creative.narrative_hook}
              {...(brand !== undefined && { payer: brand })}
            />
          </Scene>
        )}
        {data && (
          <Chart
            title={`Score ${formatDecimal(data.total_score)}`}
            about="What each kind of affinity adds to the campaign's score in this scene."
            kind="rank"
            format="decimal"
            rowKey="type"
            rowLabel="Kind"
            rows={scores}
            series={[{ key: "score", label: "Score", role: "own" }]}
            empty={
              <Text c="dimmed">
                The campaign has no affinities, so every scene scores 0.{" "}
                {canChange && <Link to={`/campaigns/${campaign.id}/targeting`}>Add affinities</Link>}
              </Text>
            }
          />
        )}
      </Stack>
    </div>
  );
}
