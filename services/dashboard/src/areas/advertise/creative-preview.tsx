import { hookOrder } from "@diegetic/ad-rules/hook-rotation";
import { Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { BodyOf } from "../../api/operations.ts";
import { formatCount, formatNoun } from "../../format/format.ts";
import { Scene } from "../../scene/scene.tsx";
import { Story, type StoryForm } from "../../scene/story.tsx";
import classes from "./creative-editor.module.css";
import { type CREATE, USES } from "./creative-fields.ts";

const SETTINGS: Record<
  StoryForm,
  { label: string; before: string; after: string; speaker?: string; place: string }
> = {
  dialogue: {
    label: "Tavern",
    speaker: "Maren, innkeeper",
    before: "Rain drums on the roof. Maren wipes the counter and looks you over.",
    after: "“Now then,” she says. “What brings you up the mountain in this weather?”",
    place: "tavern",
  },
  letter: {
    label: "Letter",
    before: "My dear Tobias, the harbour has been quiet since you left.",
    after: "Come home before the frost. The lamp in the window is yours.",
    place: "harbour",
  },
  chat: {
    label: "NPC chat",
    speaker: "Pell, courier",
    before: "You made it. I thought the north road was closed.",
    after: "Anyway. The package is under the third crate. Be quick.",
    place: "city",
  },
};

interface CreativePreviewProps {
  creative: Partial<BodyOf<typeof CREATE>>;
}

/** What a player reads of a creative, and in which order in one player session. */
export function CreativePreview({ creative }: CreativePreviewProps) {
  const [setting, setSetting] = useState<StoryForm>("dialogue");
  const [appearance, setAppearance] = useState(0);
  const order = hookOrder(creative);
  const seen = order[appearance % order.length];
  // A narrative hook is not saved without a line of its own.
  const isUnwritten = creative.creative_type === "narrative_hook" && seen?.source === "brand_name";
  const { label: _label, place, ...story } = SETTINGS[setting];
  return (
    <section className={classes.preview} aria-label="Preview">
      <Group justify="space-between" mb="sm">
        <Text fw={600} fz="md">
          As a player reads it
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Scene of the preview"
          data={Object.entries(SETTINGS).map(([value, { label }]) => ({ value, label }))}
          value={setting}
          onChange={(value) => setSetting(value as StoryForm)}
        />
      </Group>
      <Scene pipeline={{}} place={place}>
        <Story
          form={setting}
          {...story}
          line={(!isUnwritten && seen?.line) || "Your line appears here."}
          {...(creative.brand_name && { payer: creative.brand_name })}
        />
      </Scene>
      {order.length > 1 && (
        <Stack gap="xs" mt="md">
          <Text fw={600}>In one player session</Text>
          <ol className={classes.order}>
            {order.map(({ line, source }, index) => (
              <li key={`${source} ${index + 1}`}>
                <button
                  type="button"
                  aria-pressed={appearance % order.length === index}
                  onClick={() => setAppearance(index)}
                >
                  {line || "(empty)"}
                </button>
              </li>
            ))}
          </ol>
          <Text c="dimmed" fz="xs">
            {orderSentence(order.length, creative.max_uses_per_game ?? USES.usual)}
          </Text>
        </Stack>
      )}
    </section>
  );
}

/** What comes after the lines of one player session. */
function orderSentence(lines: number, uses: number): string {
  if (uses < lines) return `Only the first ${formatNoun(uses, "line")}: the creative appears no more often.`;
  if (uses === lines) return "Then the creative appears no more.";
  return `Then from the first again, until the creative has appeared ${formatCount(uses)} times.`;
}
