import { SimpleGrid, Slider, Stack, Text, TextInput } from "@mantine/core";
import type { BodyOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { UNCLEAR_DATE } from "../../api/unclear.ts";
import type { ApiForm } from "../../api/use-api-form.ts";
import { numberLimits } from "../../api/use-field-problems.ts";
import {
  formatCents,
  formatCount,
  formatExactCents,
  formatUtcMoment,
  impressionCents,
} from "../../format/format.ts";
import { DateInput } from "../../kit/date-input.tsx";
import { listField, moneyField, requiredTextField } from "../../kit/fields.ts";
import { MoneyInput } from "../../kit/money-input.tsx";
import { WordsInput } from "../../kit/words-input.tsx";
import { flightDays, momentOfDate } from "./flight.ts";
import { MAX_SUGGESTIONS, sentWords } from "./sent-words.ts";
import { balanceSentence } from "./spend-outlook.ts";
import type { Campaign } from "./use-campaign.ts";

type CampaignForm = ApiForm<"POST /campaigns"> | ApiForm<"PATCH /campaigns/{campaign_id}">;

type Setting = keyof Campaign & keyof BodyOf<"PATCH /campaigns/{campaign_id}">;

/** The fields that an advertiser sets, and what they are called. */
export const CAMPAIGN_LABELS = {
  name: "Name",
  budget_cents: "Budget",
  cpm_bid_cents: "Bid per thousand impressions",
  daily_cap_cents: "Daily cap",
  start_date: "First day",
  end_date: "Last day",
  priority: "Priority",
  target_categories: "Only in scenes of these categories",
  target_tags: "Only in scenes with one of these tags",
} as const satisfies Record<Setting, string>;

/** What an advertiser has set. */
export function settingsOf(campaign: Campaign): Pick<Campaign, Setting> {
  const settings = Object.entries(campaign).filter(([field]) => field in CAMPAIGN_LABELS);
  return Object.fromEntries(settings) as Pick<Campaign, Setting>;
}

const MILLE = 1_000;
const BID_CENTS = numberLimits("POST /campaigns", "cpm_bid_cents");
const BUDGET_CENTS = numberLimits("POST /campaigns", "budget_cents");
const PRIORITY = numberLimits("POST /campaigns", "priority");

/** What a bid and what is left of a budget amount to, in the words of who pays. */
function bidSentence(
  bidCents: number | null | undefined,
  budgetCents: number | null | undefined,
  spentCents: number,
): string {
  const range = `From ${formatCents(BID_CENTS.min)} to ${formatCents(BID_CENTS.max)}.`;
  if (!bidCents || bidCents < BID_CENTS.min || bidCents > BID_CENTS.max) return range;
  const each = `${range} One impression costs ${formatExactCents(impressionCents(bidCents))}`;
  if (!budgetCents || budgetCents < BUDGET_CENTS.min || budgetCents > BUDGET_CENTS.max) return `${each}.`;
  const count = Math.max(0, Math.floor(((budgetCents - spentCents) * MILLE) / bidCents));
  return `${each}; ${spentCents > 0 ? "the rest of the budget" : "the budget"} pays for ${formatCount(count)} of them.`;
}

interface CampaignFieldsProps {
  form: CampaignForm;
  /** How much of the budget is spent, rounded up to a cent. */
  spentCents?: number;
  isShort?: boolean;
}

/** The fields of a campaign, new or changed. */
export function CampaignFields({ form: anyForm, spentCents = 0, isShort = false }: CampaignFieldsProps) {
  // The two bodies have the same fields; a create only needs more of them.
  const form = anyForm as ApiForm<"POST /campaigns">;
  const { values } = form;
  const { canChange } = useAbility();
  const balanceCents = useRead("GET /profile").data?.balance_cents;
  const { start_date = null, end_date = null } = values;
  const firstDay = flightDays({ start_date, end_date: null }).first;
  const lastDay = flightDays({ start_date: null, end_date }).last;
  const startsAt = momentOfDate(start_date);
  const endsAt = momentOfDate(end_date);
  const budgetHelp = [
    spentCents > 0
      ? `At least ${formatCents(spentCents)}: the spend so far, rounded up.`
      : "The most that the campaign ever spends.",
    balanceSentence(values.budget_cents, spentCents, balanceCents),
  ];
  return (
    <Stack maw={560}>
      <TextInput
        label={CAMPAIGN_LABELS.name}
        description="Only you see it."
        {...requiredTextField(form, "name")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <MoneyInput
          label={CAMPAIGN_LABELS.budget_cents}
          description={budgetHelp.filter(Boolean).join(" ")}
          {...moneyField(form, "budget_cents")}
        />
        <MoneyInput
          label={CAMPAIGN_LABELS.cpm_bid_cents}
          description={bidSentence(values.cpm_bid_cents, values.budget_cents, spentCents)}
          {...moneyField(form, "cpm_bid_cents")}
        />
      </SimpleGrid>
      {!isShort && (
        <>
          <MoneyInput
            label={`${CAMPAIGN_LABELS.daily_cap_cents} (optional)`}
            description={
              values.daily_cap_cents
                ? `At most ${formatCents(values.daily_cap_cents)} on one UTC day.`
                : "Without a cap, a busy day may spend the whole budget."
            }
            {...moneyField(form, "daily_cap_cents", null)}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <DateInput
              label={`${CAMPAIGN_LABELS.start_date} (optional)`}
              wrapperProps={form.markOf("start_date")}
              description={
                startsAt === undefined
                  ? "In UTC. Without it, serving starts at activation."
                  : `Serving starts at ${formatUtcMoment(startsAt)}. Another day counts from its beginning, in UTC.`
              }
              day={start_date === UNCLEAR_DATE ? start_date : firstDay}
              error={form.problem("start_date")}
              onDay={(day) => form.set("start_date", day)}
            />
            <DateInput
              label={`${CAMPAIGN_LABELS.end_date} (optional)`}
              wrapperProps={form.markOf("end_date")}
              description={
                endsAt === undefined
                  ? "In UTC, until the end of the day. Without it, serving ends when the budget is spent."
                  : `Serving ends at ${formatUtcMoment(endsAt)}. Another day counts until its end, in UTC.`
              }
              day={end_date === UNCLEAR_DATE ? end_date : lastDay}
              error={form.problem("end_date")}
              onDay={(day) => form.set("end_date", day)}
            />
          </SimpleGrid>
          <div {...form.markOf("priority")}>
            <Text fw={600}>
              {CAMPAIGN_LABELS.priority}: {values.priority ?? PRIORITY.usual}
            </Text>
            <Slider
              thumbLabel={CAMPAIGN_LABELS.priority}
              // The form's own fieldset disables elements of HTML only.
              disabled={!canChange}
              min={PRIORITY.min}
              max={PRIORITY.max}
              step={1}
              value={values.priority ?? PRIORITY.usual}
              onChange={(value) => form.set("priority", value)}
              label={null}
              my={8}
            />
            <Text fz="xs" c="dimmed">
              Decides only between campaigns whose ranks are within 1% of each other.
            </Text>
          </div>
          <SceneFilters form={form} />
        </>
      )}
    </Stack>
  );
}

/** Which scenes the campaign may appear in, with what games really send as suggestions. */
function SceneFilters({ form }: { form: ApiForm<"POST /campaigns"> }) {
  const { values } = form;
  const { data: words } = useRead("GET /market/words");
  return (
    <>
      <WordsInput
        label={`${CAMPAIGN_LABELS.target_categories} (optional)`}
        description="The campaign never appears in scenes of another category or without one. Press Enter after each."
        placeholder={values.target_categories?.length ? "" : "e.g. fantasy"}
        data={sentWords(words, "category")}
        limit={MAX_SUGGESTIONS}
        {...listField(form, "target_categories")}
      />
      <WordsInput
        label={`${CAMPAIGN_LABELS.target_tags} (optional)`}
        description="A tag is compared with the theme, category, location, moods and actions of a scene, and searched for in its text."
        placeholder={values.target_tags?.length ? "" : "e.g. tavern"}
        data={sentWords(words)}
        limit={MAX_SUGGESTIONS}
        {...listField(form, "target_tags")}
      />
    </>
  );
}
