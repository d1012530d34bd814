import { Autocomplete, Select, Slider, Text } from "@mantine/core";
import type { AnswerOf } from "../../api/operations.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { formatDecimal, formatTerm } from "../../format/format.ts";
import { Section } from "../../kit/page.tsx";
import { type EntriesRead, EntryForm, EntryTable } from "./entry-list.tsx";
import { MAX_SUGGESTIONS, sentWords } from "./sent-words.ts";
import { pathOf, useCampaign } from "./use-campaign.ts";

type Affinity = AnswerOf<"GET /campaigns/{campaign_id}/affinities">[number];

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

const DRAFT_WITH = ["affinity_type"] as const;

/** As the API compares them. */
function isSameWord(
  one: Affinity,
  other: Partial<Pick<Affinity, "affinity_type" | "affinity_value">>,
): boolean {
  const plain = (text = "") => text.normalize("NFKC").trim().toLowerCase();
  return (
    one.affinity_type === other.affinity_type && plain(one.affinity_value) === plain(other.affinity_value)
  );
}

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
      check: (affinity) => ({
        affinity_value: read.data?.some((one) => isSameWord(one, affinity))
          ? "It is in the list below: remove it there first to give it another weight."
          : undefined,
      }),
    },
  );
  const remove = useChange("DELETE /campaigns/{campaign_id}/affinities/{affinity_id}");
  const words = useRead("GET /market/words");
  const { values } = form;
  const type = values.affinity_type ?? "location";
  const sent = sentWords(words.data, type);
  const examples = AFFINITY_TYPES.find(({ value }) => value === type)?.examples ?? [];
  const add = async () => {
    await form.send(at, () => ({ affinity_type: type, weight: 1 }));
  };
  return (
    <Section
      title="Affinities"
      about="Affinities do not filter. A word that the scene has adds its weight to the score; a location, theme, action or mood that only the text has adds half of it. The rank is the bid × (1 + score ÷ (1 + score)), at most double the bid. Your word with the highest weight of each of location, mood, lighting, effects and camera colours the scene."
    >
      {canChange && (
        <EntryForm form={form} action="Add affinity" onAdd={add}>
          <Select
            label="Kind"
            data={AFFINITY_TYPES.map(({ value }) => ({ value, label: formatTerm(value) }))}
            value={type}
            allowDeselect={false}
            onChange={(value) => form.set("affinity_type", value as Affinity["affinity_type"])}
            error={form.problem("affinity_type")}
            w={140}
          />
          <Autocomplete
            label="Word"
            data={
              sent.length > 0
                ? sent
                : [
                    {
                      group: words.data ? "Examples: no game has sent such words yet" : "Examples",
                      items: examples,
                    },
                  ]
            }
            limit={MAX_SUGGESTIONS}
            description={sent.length > 0 ? "The list is what games really send." : undefined}
            value={values.affinity_value ?? ""}
            onChange={(value) => form.set("affinity_value", value === "" ? undefined : value)}
            error={form.problem("affinity_value")}
            w={220}
          />
          <div>
            <Text fw={600} mb={4}>
              Weight: {formatDecimal(values.weight ?? 1)}
            </Text>
            <Slider
              thumbLabel="Weight"
              min={0.1}
              max={3}
              step={0.1}
              value={values.weight ?? 1}
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
