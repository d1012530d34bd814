import { Alert, Card, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { formatPercent } from "../../format/format.ts";
import { Choices } from "../../kit/choices.tsx";
import { listField, numberField, requiredTextField } from "../../kit/fields.ts";
import { Form } from "../../kit/form.tsx";
import { notifyDone } from "../../kit/notify.ts";
import { NumberField } from "../../kit/number-field.tsx";
import { SaveButtons } from "../../kit/save-buttons.tsx";
import { UnsavedNotice } from "../../kit/unsaved-notice.tsx";
import { WordsInput } from "../../kit/words-input.tsx";
import { CREATIVE_TYPES } from "../../scene/creative-types.ts";
import { ADS_PER_SESSION, type Placement, SHARE_PCT } from "./placement.ts";
import { pathOf, usePlacement } from "./use-placement.ts";

function settingsOf({
  creator_id,
  placement_types,
  revenue_share_pct,
  max_ads_per_session,
  blocked_categories,
}: Placement) {
  return { creator_id, placement_types, revenue_share_pct, max_ads_per_session, blocked_categories };
}

/** What the settings are called. */
const SETTING_LABELS = {
  creator_id: "Creator ID",
  placement_types: "Types of ads",
  revenue_share_pct: "Your share",
  max_ads_per_session: "Ads per session",
  blocked_categories: "Blocked categories",
} as const satisfies Record<keyof ReturnType<typeof settingsOf>, string>;

/** Only the POST takes the creator ID, and it turns ads on: a game without ads keeps its creator. */
const PATCH = {
  key: "PATCH /placements/{game_id}",
  onlyByPost: ["creator_id"],
  required: ["creator_id", "placement_types"],
} as const;
const FIXED_WITHOUT_ADS = ["creator_id"] as const;
const LISTS = ["placement_types", "blocked_categories"] as const;

/** Who gets the rest of each charge, and who agrees to it. */
function shareWords(share: number | null | undefined): string {
  const isShare = typeof share === "number" && share >= SHARE_PCT.min && share <= SHARE_PCT.max;
  const rest = isShare ? `other ${formatPercent(100 - share)}` : "rest";
  return `Of each charge; the ${rest} stays with the operator of this installation. Agree on your share with them: they are not asked here. A change counts for matches from now on.`;
}

/** What may be shown in the game, how often, and for which share. */
export function Component() {
  const placement = usePlacement();
  const { canChange } = useAbility();
  const stored = useMemo(() => settingsOf(placement), [placement]);
  const client = useQueryClient();
  const form = useApiForm("POST /placements/{game_id}", stored, {
    draft: `game ${placement.game_id}`,
    patch: PATCH,
    lists: LISTS,
    readStored: async ({ creator_id: creator }) => {
      const now = await call("GET /placements/{game_id}", pathOf(placement));
      if (!now.is_active && placement.is_active && creator !== placement.creator_id) {
        // The POST that takes the creator ID would turn ads on again.
        await client.invalidateQueries();
        throw new ApiError(409, "Ads were turned off meanwhile. Turn on ads to change the creator ID.");
      }
      return settingsOf(now);
    },
    ...(!placement.is_active && { fixed: FIXED_WITHOUT_ADS }),
  });
  const { values } = form;
  const save = async () => {
    const saved = await form.send(pathOf(placement), settingsOf);
    if (saved !== undefined) notifyDone("The settings are in force.");
  };
  return (
    <Card>
      <Form onSend={save} isReadOnly={!canChange}>
        {canChange && <UnsavedNotice form={form} labels={SETTING_LABELS} />}
        <Stack maw={560}>
          {!canChange && (
            <Alert role="note" color="info" title="As a viewer you can look at settings only">
              Managers and owners change them.
            </Alert>
          )}
          {form.failure && <Alert color="negative">{form.failure}</Alert>}
          {placement.is_active ? (
            <TextInput
              label={SETTING_LABELS.creator_id}
              description="Who makes the game, in your own system."
              {...requiredTextField(form, "creator_id")}
            />
          ) : (
            <TextInput
              label={SETTING_LABELS.creator_id}
              description="Who makes the game, in your own system. Turn on ads to change it."
              value={placement.creator_id}
              readOnly
            />
          )}
          <Choices
            label={SETTING_LABELS.placement_types}
            choices={CREATIVE_TYPES}
            {...listField(form, "placement_types")}
          />
          <NumberField
            label={SETTING_LABELS.revenue_share_pct}
            description={shareWords(values.revenue_share_pct)}
            suffix=" %"
            min={SHARE_PCT.min}
            max={SHARE_PCT.max}
            decimalScale={2}
            {...numberField(form, "revenue_share_pct", null)}
          />
          <NumberField
            label={SETTING_LABELS.max_ads_per_session}
            description={`How many ads one player sees at most in one session, ${ADS_PER_SESSION.min} to ${ADS_PER_SESSION.max}.`}
            min={ADS_PER_SESSION.min}
            max={ADS_PER_SESSION.max}
            allowDecimal={false}
            {...numberField(form, "max_ads_per_session", null)}
          />
          <WordsInput
            label={SETTING_LABELS.blocked_categories}
            description="Campaigns that target one of these or prefer it are never shown, such as gambling. Press Enter after each."
            {...listField(form, "blocked_categories")}
          />
          {canChange && (
            <SaveButtons form={form} action="Save settings">
              <Text c="dimmed" fz="xs" maw={300}>
                Takes effect with the next match. Advertisers are blocked under “Who is shown?”.
              </Text>
            </SaveButtons>
          )}
        </Stack>
      </Form>
    </Card>
  );
}
