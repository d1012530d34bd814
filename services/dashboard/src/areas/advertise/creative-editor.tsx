import {
  Alert,
  Button,
  Card,
  Group,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useAbility } from "../../api/session.ts";
import type { ApiForm } from "../../api/use-api-form.ts";
import { requestSchema } from "../../api/use-field-problems.ts";
import { formatCount, formatTerm } from "../../format/format.ts";
import { choiceField, numberField, requiredTextField, textField } from "../../kit/fields.ts";
import { Form } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number-field.tsx";
import { UnsavedNotice } from "../../kit/unsaved-notice.tsx";
import { CREATIVE_TYPES } from "../../scene/creative-types.ts";
import { AlternativeLines } from "./alternative-lines.tsx";
import classes from "./creative-editor.module.css";
import { CREATE, CREATIVE_LABELS, USES } from "./creative-fields.ts";
import { CreativePreview } from "./creative-preview.tsx";
import { LineAdvice } from "./line-advice.tsx";
import type { Creative } from "./use-campaign.ts";

type CreateForm = ApiForm<typeof CREATE>;

const { tone: toneSchema } = requestSchema(CREATE).properties ?? {};
const TONES = (toneSchema?.enum ?? []).filter((tone) => typeof tone === "string");

interface CreativeEditorProps {
  form: CreateForm | ApiForm<"PATCH /creatives/{creative_id}">;
  /** The type of a creative that exists: it cannot be changed. */
  type?: Creative["creative_type"];
  onSave: () => Promise<void>;
  action: string;
  isNew?: boolean;
}

/** A creative, and beside it what a player reads. */
export function CreativeEditor({ form: anyForm, type, onSave, action, isNew = false }: CreativeEditorProps) {
  // The two bodies have the same fields, except for the type.
  const form = anyForm as CreateForm;
  const { values } = form;
  const { canChange } = useAbility();
  const chosenType = type ?? values.creative_type ?? "narrative_hook";
  const isHook = chosenType === "narrative_hook";
  return (
    <div className={classes.editor}>
      <Card>
        <Form onSend={onSave} isReadOnly={!canChange}>
          {!isNew && canChange && <UnsavedNotice form={form} labels={CREATIVE_LABELS} />}
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
            <TextInput label={CREATIVE_LABELS.brand_name} {...requiredTextField(form, "brand_name")} />
            <div>
              <Textarea
                label={
                  isHook ? CREATIVE_LABELS.narrative_hook : `${CREATIVE_LABELS.narrative_hook} (optional)`
                }
                description="In the voice of the story: no prices, no links, no “buy now”. For example: The innkeeper sets down a steaming cup of Emberroast."
                autosize
                minRows={2}
                classNames={{ input: classes.line ?? "" }}
                {...textField(form, "narrative_hook")}
              />
              <LineAdvice lines={[values.narrative_hook, ...(values.alt_hooks ?? [])]} />
            </div>
            <AlternativeLines form={form} />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label={`${CREATIVE_LABELS.product_name} (optional)`}
                description="What is advertised, such as Dark No. 7. The game receives it with the line."
                {...textField(form, "product_name")}
              />
              <Select
                label={CREATIVE_LABELS.tone}
                description="How the line sounds. The game receives it, to fit its own words to it."
                data={TONES.map((tone) => ({ value: tone, label: formatTerm(tone) }))}
                {...choiceField(form, "tone")}
                value={values.tone ?? String(toneSchema?.default)}
                allowDeselect={false}
              />
            </SimpleGrid>
            <TextInput
              label={`${CREATIVE_LABELS.tagline} (optional)`}
              description={isHook ? undefined : "Shown where the creative has no line."}
              {...textField(form, "tagline")}
            />
            <NumberField
              label={CREATIVE_LABELS.max_uses_per_game}
              description={`From ${formatCount(USES.min)} to ${formatCount(USES.max)}. Each match counts; one that no player has seen stops counting when its hold lapses.`}
              min={USES.min}
              max={USES.max}
              allowDecimal={false}
              {...numberField(form, "max_uses_per_game")}
              maw={320}
            />
            {form.failure && <Alert color="negative">{form.failure}</Alert>}
            {canChange && (
              <Group>
                <Button type="submit" loading={form.isSending} disabled={!isNew && !form.isChanged}>
                  {action}
                </Button>
                {form.isChanged && (
                  <Button variant="default" onClick={form.discard}>
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
      <CreativePreview creative={values} />
    </div>
  );
}
