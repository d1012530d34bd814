import { comparable } from "@diegetic/ad-rules/equality";
import { Autocomplete, Button, Select } from "@mantine/core";
import { useState } from "react";
import type { BodyOf } from "../../api/operations.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { choiceField } from "../../kit/fields.ts";
import { labelOf } from "../../kit/options.ts";
import { Section } from "../../kit/page.tsx";
import { type EntriesRead, EntryForm, EntryTable } from "./entry-list.tsx";
import { MAX_SUGGESTIONS, sentWords } from "./sent-words.ts";
import { type BlocklistRule, pathOf, useCampaign } from "./use-campaign.ts";

type RuleType = BodyOf<"POST /campaigns/{campaign_id}/blocklist">["rule_type"];

const RULE_TYPES: { value: RuleType; label: string; help: string }[] = [
  { value: "keyword", label: "Keyword", help: "Anywhere in the scene, as whole words." },
  { value: "theme", label: "Theme", help: "The scene's theme is exactly this." },
  { value: "category", label: "Category", help: "The scene's category is exactly this." },
  { value: "action", label: "Action", help: "One of the scene's actions is exactly this." },
  { value: "game_id", label: "Game", help: "The game's identifier, exactly as it is." },
];

const DRAFT_WITH = ["rule_type"] as const;

function isSameRule(
  one: BlocklistRule,
  { rule_type: type, value = "" }: Partial<Pick<BlocklistRule, "rule_type" | "value">>,
) {
  if (one.rule_type !== type) return false;
  if (type === "game_id") return one.value.trim() === value.trim();
  return comparable(one.value) === comparable(value);
}

/** The games and scenes that the campaign avoids. */
export function Blocklist({ read }: EntriesRead<BlocklistRule>) {
  const campaign = useCampaign();
  const at = pathOf(campaign);
  const { canChange } = useAbility();
  const form = useApiForm(
    "POST /campaigns/{campaign_id}/blocklist",
    { rule_type: "keyword" },
    {
      draft: `blocklist rule of ${campaign.id}`,
      draftWith: DRAFT_WITH,
      check: (rule) => ({
        value: read.data?.some((one) => isSameRule(one, rule)) ? "It is in the list already." : undefined,
      }),
    },
  );
  const remove = useChange("DELETE /campaigns/{campaign_id}/blocklist/{blocklist_rule_id}");
  const { data: words } = useRead("GET /market/words");
  const [isOpen, setOpen] = useState(false);
  const type = form.values.rule_type ?? "keyword";
  const add = async () => {
    await form.send(at, () => ({ rule_type: type }));
  };
  const isShown = isOpen || form.isChanged || (read.data?.length ?? 0) > 0;
  return (
    <Section
      title="Blocklist"
      about="Blocked games, and scenes with a blocked word, theme, category or action, never show the campaign."
      actions={
        canChange &&
        !isShown && (
          <Button variant="default" onClick={() => setOpen(true)}>
            Block something
          </Button>
        )
      }
    >
      {canChange && isShown && (
        <EntryForm form={form} action="Add rule" onSend={add}>
          <Select
            label="Kind"
            data={RULE_TYPES.map(({ value, label }) => ({ value, label }))}
            {...choiceField(form, "rule_type")}
            allowDeselect={false}
            w={140}
          />
          <Autocomplete
            label="Value"
            autoFocus={isOpen}
            description={RULE_TYPES.find(({ value }) => value === type)?.help}
            data={sentWords(words, type === "keyword" ? undefined : type)}
            limit={MAX_SUGGESTIONS}
            value={form.values.value ?? ""}
            onChange={(value) => form.set("value", value === "" ? undefined : value)}
            error={form.problem("value")}
            w={280}
          />
        </EntryForm>
      )}
      <EntryTable
        label="Blocklist"
        name="blocklist"
        read={read}
        nameOf={({ value }) => value}
        onRemove={({ id }) => remove.mutateAsync({ path: { ...at.path, blocklist_rule_id: id } })}
        columns={(make) => [
          make.text("value", "Value", ({ value }) => value, { phone: "title" }),
          make.text("type", "Kind", ({ rule_type: kind }) => labelOf(RULE_TYPES, kind), { phone: "fact" }),
        ]}
      />
    </Section>
  );
}
