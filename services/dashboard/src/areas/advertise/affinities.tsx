import { comparable } from "@diegetic/ad-rules/equality";
import { Autocomplete, Select, Slider, Text } from "@mantine/core";
import { useRef } from "react";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { numberLimits } from "../../api/use-field-problems.ts";
import { formatDecimal, formatTerm } from "../../format/format.ts";
import { choiceField } from "../../kit/fields.ts";
import { notifyCutShort, notifyDone, notifyFailed } from "../../kit/notify.ts";
import { Section } from "../../kit/page.tsx";
import { type EntriesRead, EntryForm, EntryTable } from "./entry-list.tsx";
import { MAX_SUGGESTIONS, sentWords } from "./sent-words.ts";
import { type Affinity, pathOf, useCampaign } from "./use-campaign.ts";

const AFFINITY_TYPES: { value: Affinity["affinity_type"]; examples: string[] }[] = [
  { value: "location", examples: ["tavern", "forest", "harbour", "castle"] },
  { value: "mood", examples: ["calm", "tense", "hopeful", "mysterious", "dramatic", "humorous"] },
  { value: "theme", examples: ["medieval", "cyberpunk", "space"] },
  { value: "action", examples: ["talk", "drink", "rest", "travel"] },
  { value: "category", examples: ["fantasy", "adventure", "racing"] },
  { value: "lighting", examples: ["warm", "candlelight", "moonlight", "neon"] },
  { value: "effects", examples: ["rain", "embers", "fog", "snow"] },
  { value: "camera", examples: ["close-up", "wide", "low angle"] },
];

const WEIGHT = numberLimits("POST /campaigns/{campaign_id}/affinities", "weight");
const DRAFT_WITH = ["affinity_type"] as const;

/** The words of a scene that lift the bid, each with its weight. */
export function Affinities({ read }: EntriesRead<Affinity>) {
  const campaign = useCampaign();
  const at = pathOf(campaign);
  const { canChange } = useAbility();
  const form = useApiForm(
    "POST /campaigns/{campaign_id}/affinities",
    { affinity_type: "location", weight: 1 },
    {
      draft: `affinity of ${campaign.id}`,
      draftWith: DRAFT_WITH,
    },
  );
  const remove = useChange("DELETE /campaigns/{campaign_id}/affinities/{affinity_id}");
  const words = useRead("GET /market/words");
  const { values } = form;
  const type = values.affinity_type ?? "location";
  const weight = values.weight ?? 1;
  const listed = read.data?.filter(
    (one) =>
      one.affinity_type === type &&
      comparable(one.affinity_value) === comparable(values.affinity_value ?? ""),
  );
  /** Has the word of the form. Of several, which only early versions allowed, none can be added again. */
  const former = listed?.length === 1 ? listed[0] : undefined;
  const sent = sentWords(words.data, type);
  const examples = AFFINITY_TYPES.find(({ value }) => value === type)?.examples ?? [];
  const slider = useRef<HTMLDivElement>(null);
  const focusWeight = () => slider.current?.querySelector<HTMLElement>("[role=slider]")?.focus();
  const begin = () => ({ affinity_type: type, weight: 1 });
  const save = async () => {
    if (former?.weight === weight) {
      focusWeight();
      return;
    }
    if (former === undefined) {
      await form.send(at, begin);
      return;
    }
    // Affinities have no PATCH, and PUT would begin the figures of all anew.
    const name = former.affinity_value;
    try {
      await remove.mutateAsync({ path: { ...at.path, affinity_id: former.id } });
    } catch (failure) {
      notifyFailed(`The weight of ${name} was not changed.`, failure, `${name} is gone from the list`);
      return;
    }
    const added = await form.send(at, begin);
    if (added !== undefined) notifyDone(`${name} has the weight ${formatDecimal(weight)}.`);
    else notifyCutShort(`${name} was removed, but not added with its new weight: press “Add affinity”.`);
  };
  return (
    <Section
      title="Affinities"
      about="Affinities do not filter: they raise the campaign's rank in scenes with these words, to at most double the bid. A word that the scene has adds its weight to the score; a location, theme, action or mood that only the text has adds half of it. The rank is the bid × (1 + score ÷ (1 + score)). The heaviest word of each of location, mood, lighting, effects and camera also colours the scene."
    >
      {canChange && (
        <EntryForm
          form={{ failure: form.failure, isSending: form.isSending || remove.isPending }}
          action={former === undefined ? "Add affinity" : "Change weight"}
          onSend={save}
        >
          <Select
            label="Kind"
            data={AFFINITY_TYPES.map(({ value }) => ({ value, label: formatTerm(value) }))}
            {...choiceField(form, "affinity_type")}
            allowDeselect={false}
            w={140}
          />
          <Autocomplete
            label="Word"
            data={
              sent.length > 0
                ? sent
                : [
                    {
                      group: words.data ? "Examples: too few games send such words" : "Examples",
                      items: examples,
                    },
                  ]
            }
            limit={MAX_SUGGESTIONS}
            description={
              former !== undefined
                ? `In the list with the weight ${formatDecimal(former.weight)}. Another weight begins its figures anew.`
                : sent.length > 0
                  ? "The list is what games really send."
                  : undefined
            }
            value={values.affinity_value ?? ""}
            onChange={(value) => form.set("affinity_value", value === "" ? undefined : value)}
            error={form.problem("affinity_value")}
            w={220}
          />
          <div>
            <Text fw={600} mb={4}>
              Weight: {formatDecimal(weight)}
            </Text>
            <Slider
              ref={slider}
              thumbLabel="Weight"
              min={WEIGHT.min}
              max={WEIGHT.max}
              step={0.1}
              value={weight}
              onChange={(value) => form.set("weight", Math.round(value * 10) / 10)}
              label={null}
              w={180}
              mt={14}
            />
          </div>
        </EntryForm>
      )}
      <EntryTable
        label="Affinities"
        name="affinities"
        read={read}
        nameOf={({ affinity_value: value }) => value}
        actionsOf={({ affinity_type, affinity_value, weight: former }) => [
          {
            label: "Change weight",
            name: affinity_value,
            run: () => {
              form.set("affinity_type", affinity_type);
              form.set("affinity_value", affinity_value);
              form.set("weight", former);
              focusWeight();
            },
          },
        ]}
        onRemove={({ id }) => remove.mutateAsync({ path: { ...at.path, affinity_id: id } })}
        columns={(make) => [
          make.text("value", "Word", ({ affinity_value: value }) => value, { phone: "title" }),
          make.number("weight", "Weight", ({ weight }) => weight, {
            format: formatDecimal,
            phone: "fact",
          }),
          make.text("type", "Kind", ({ affinity_type: kind }) => formatTerm(kind), {
            phone: "fact",
          }),
        ]}
      />
    </Section>
  );
}
