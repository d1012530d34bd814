import { hookOrder } from "@diegetic/ad-rules/hook-rotation";
import {
  Alert,
  Button,
  Card,
  Group,
  Radio,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useRef, useState } from "react";
import type { BodyOf } from "../../api/operations.ts";
import { useAbility } from "../../api/session.ts";
import type { ApiForm } from "../../api/use-api-form.ts";
import { numberLimits, requestSchema } from "../../api/use-field-problems.ts";
import { formatCount, formatNoun, formatTerm } from "../../format/format.ts";
import { requiredTextField, textField } from "../../kit/fields.ts";
import { Form } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number-field.tsx";
import { CREATIVE_TYPES } from "../../scene/creative-types.ts";
import { Scene } from "../../scene/scene.tsx";
import { Story, type StoryForm } from "../../scene/story.tsx";
import classes from "./creative-editor.module.css";
import { LineAdvice } from "./line-advice.tsx";
import { UnsavedNotice, unsavedMark } from "./unsaved-notice.tsx";
import type { Creative } from "./use-campaign.ts";

type CreateForm = ApiForm<typeof CREATE>;

const CREATE = "POST /campaigns/{campaign_id}/creatives";
const { tone: toneSchema } = requestSchema(CREATE).properties ?? {};
const TONES = (toneSchema?.enum ?? []).filter((tone) => typeof tone === "string");
/** Of the appearances of a creative in one player session. */
export const USES = numberLimits(CREATE, "max_uses_per_game");

/** What the fields of a creative are called. */
export const CREATIVE_LABELS = {
  brand_name: "Brand",
  narrative_hook: "Line",
  alt_hooks: "Alternative lines",
  product_name: "Product",
  tone: "Tone",
  tagline: "Tagline",
  max_uses_per_game: "Most appearances in one player session",
} as const satisfies Partial<Record<keyof BodyOf<"PATCH /creatives/{creative_id}">, string>>;

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

function isBlank(text: string): boolean {
  return text.trim() === "";
}

interface CreativeEditorProps {
  form: CreateForm | ApiForm<"PATCH /creatives/{creative_id}">;
  /** The type of a creative that exists: it cannot be changed. */
  type?: Creative["creative_type"];
  onSave: () => Promise<void>;
  onDiscard: () => void;
  action: string;
  isNew?: boolean;
}

/** A creative, and beside it what a player reads. */
export function CreativeEditor({
  form: anyForm,
  type,
  onSave,
  onDiscard,
  action,
  isNew = false,
}: CreativeEditorProps) {
  // The two bodies have the same fields, except for the type.
  const form = anyForm as CreateForm;
  const { values } = form;
  const { canChange } = useAbility();
  const [setting, setSetting] = useState<StoryForm>("dialogue");
  const [appearance, setAppearance] = useState(0);
  const chosenType = type ?? values.creative_type ?? "narrative_hook";
  const hooks = values.alt_hooks ?? [];
  const order = hookOrder(values);
  const seen = order[appearance % order.length];
  const setHook = (index: number, text: string) =>
    form.set(
      "alt_hooks",
      hooks.map((hook, at) => (at === index ? text : hook)),
    );
  const markOf = (field: keyof typeof CREATIVE_LABELS) => (isNew ? {} : unsavedMark(form, field));
  // The sentence is about the list: it names no line.
  const linesProblem = form.problem("alt_hooks");
  const isSuspect = (hook: string) => isBlank(hook) || !hooks.some(isBlank);
  const lastSuspect = hooks.findLastIndex(isSuspect);
  const isAdding = useRef(false);
  const focusIfAdded = (line: HTMLTextAreaElement | null) => {
    if (line === null || !isAdding.current) return;
    isAdding.current = false;
    line.focus();
  };
  const isHook = chosenType === "narrative_hook";
  const { label: _label, place, ...story } = SETTINGS[setting];
  return (
    <div className={classes.editor}>
      <Card>
        <Form onSend={onSave} isReadOnly={!canChange}>
          {!isNew && canChange && (
            <UnsavedNotice form={form} labels={CREATIVE_LABELS} onDiscard={onDiscard} />
          )}
          <Stack>
            {type === undefined ? (
              <Radio.Group
                label="Type"
                description="Developers choose which types their games accept. It cannot be changed later."
                value={chosenType}
                onChange={(value) => form.set("creative_type", value as Creative["creative_type"])}
                error={form.problem("creative_type")}
              >
                <Stack gap={8} mt={4}>
                  {CREATIVE_TYPES.map(({ value, label, description }) => (
                    <Radio key={value} value={value} label={`${label}: ${description}`} />
                  ))}
                </Stack>
              </Radio.Group>
            ) : (
              <Text>
                <Text span c="dimmed">
                  Type:
                </Text>{" "}
                {formatTerm(type)}
              </Text>
            )}
            <TextInput
              label={CREATIVE_LABELS.brand_name}
              wrapperProps={markOf("brand_name")}
              {...requiredTextField(form, "brand_name")}
            />
            <div>
              <Textarea
                label={
                  isHook ? CREATIVE_LABELS.narrative_hook : `${CREATIVE_LABELS.narrative_hook} (optional)`
                }
                wrapperProps={markOf("narrative_hook")}
                description="In the voice of the story: no prices, no links, no “buy now”. For example: The innkeeper sets down a steaming cup of Emberroast."
                autosize
                minRows={2}
                classNames={{ input: classes.line ?? "" }}
                {...textField(form, "narrative_hook")}
              />
              <LineAdvice lines={[values.narrative_hook, ...hooks]} />
            </div>
            <Stack gap="xs" {...markOf("alt_hooks")}>
              <Text fw={600}>{CREATIVE_LABELS.alt_hooks} (optional)</Text>
              {hooks.map((hook, index) => (
                <Group key={`${index + 1}`} gap="xs" wrap="nowrap" align="flex-start">
                  <Textarea
                    aria-label={`Alternative line ${index + 1}`}
                    autosize
                    minRows={1}
                    value={hook}
                    error={
                      isSuspect(hook) && linesProblem !== undefined && (index !== lastSuspect || linesProblem)
                    }
                    ref={index === hooks.length - 1 ? focusIfAdded : undefined}
                    onChange={({ currentTarget }) => setHook(index, currentTarget.value)}
                    classNames={{ input: classes.line ?? "" }}
                    flex={1}
                  />
                  <Button
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove alternative line ${index + 1}`}
                    onClick={() =>
                      form.set(
                        "alt_hooks",
                        hooks.filter((_hook, at) => at !== index),
                      )
                    }
                  >
                    Remove
                  </Button>
                </Group>
              ))}
              <Group>
                <Button
                  variant="default"
                  size="compact-sm"
                  leftSection={<IconPlus size={14} stroke={1.5} />}
                  onClick={() => {
                    isAdding.current = true;
                    form.set("alt_hooks", [...hooks, ""]);
                  }}
                >
                  Add a line
                </Button>
                <Text c="dimmed" fz="xs">
                  A player who meets the creative again reads the next one.
                </Text>
              </Group>
            </Stack>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label={`${CREATIVE_LABELS.product_name} (optional)`}
                description="What is advertised, such as Dark No. 7. The game receives it with the line."
                wrapperProps={markOf("product_name")}
                {...textField(form, "product_name")}
              />
              <Select
                label={CREATIVE_LABELS.tone}
                description="How the line sounds. The game receives it, to fit its own words to it."
                wrapperProps={markOf("tone")}
                data={TONES.map((tone) => ({ value: tone, label: formatTerm(tone) }))}
                value={values.tone ?? String(toneSchema?.default)}
                allowDeselect={false}
                onChange={(value) => form.set("tone", value as Creative["tone"])}
                error={form.problem("tone")}
              />
            </SimpleGrid>
            <TextInput
              label={`${CREATIVE_LABELS.tagline} (optional)`}
              wrapperProps={markOf("tagline")}
              description={isHook ? undefined : "Shown where the creative has no line."}
              {...textField(form, "tagline")}
            />
            <NumberField
              label={CREATIVE_LABELS.max_uses_per_game}
              wrapperProps={markOf("max_uses_per_game")}
              description={`From ${formatCount(USES.min)} to ${formatCount(USES.max)}. Each match counts; one that no player has seen stops counting when its hold lapses.`}
              min={USES.min}
              max={USES.max}
              allowDecimal={false}
              number={values.max_uses_per_game}
              onNumber={(uses) => form.set("max_uses_per_game", uses)}
              error={form.problem("max_uses_per_game")}
              maw={320}
            />
            {form.failure && <Alert color="negative">{form.failure}</Alert>}
            {canChange && (
              <Group>
                <Button type="submit" loading={form.isSending} disabled={!isNew && !form.isChanged}>
                  {action}
                </Button>
                {form.isChanged && (
                  <Button variant="default" onClick={onDiscard}>
                    {isNew ? "Discard draft" : "Discard changes"}
                  </Button>
                )}
                {!isNew && form.isChanged && (
                  <Text c="dimmed" fz="xs">
                    Ads that are already matched keep the former line.
                  </Text>
                )}
              </Group>
            )}
          </Stack>
        </Form>
      </Card>
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
            line={seen?.line || "Your line appears here."}
            {...(values.brand_name && { payer: values.brand_name })}
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
              {orderSentence(order.length, values.max_uses_per_game ?? USES.usual)}
            </Text>
          </Stack>
        )}
      </section>
    </div>
  );
}

/** What comes after the lines of one player session. */
function orderSentence(lines: number, uses: number): string {
  if (uses < lines) return `Only the first ${formatNoun(uses, "line")}: the creative appears no more often.`;
  if (uses === lines) return "Then the creative appears no more.";
  return `Then from the first again, until the creative has appeared ${formatCount(uses)} times.`;
}
