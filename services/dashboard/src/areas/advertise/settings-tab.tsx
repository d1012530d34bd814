import { Alert, Card, Text } from "@mantine/core";
import { useEffect, useEffectEvent } from "react";
import { useSearchParams } from "react-router";
import { useRead, useReadNow } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { isUnclear } from "../../api/unclear.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Form } from "../../kit/form.tsx";
import { notifyDone } from "../../kit/notify.ts";
import { SaveButtons } from "../../kit/save-buttons.tsx";
import { UnsavedNotice } from "../../kit/unsaved-notice.tsx";
import { useClearUrlState } from "../../kit/use-url-state.ts";
import { CAMPAIGN_LABELS, CampaignFields, settingsOf } from "./campaign-fields.tsx";
import { consequences } from "./consequences.ts";
import { budgetCoversSpent, datesInOrder } from "./form-checks.ts";
import { pathOf, useCampaign, useHeldCents } from "./use-campaign.ts";

export function Component() {
  const campaign = useCampaign();
  const { canChange } = useAbility();
  const pacing = useRead("GET /campaigns/{campaign_id}/analytics/pacing", pathOf(campaign));
  const heldCents = useHeldCents(campaign);
  const readNow = useReadNow("GET /campaigns/{campaign_id}", pathOf(campaign));
  const form = useApiForm("PATCH /campaigns/{campaign_id}", settingsOf(campaign), {
    draft: `campaign ${campaign.id}`,
    readStored: async () => settingsOf(await readNow()),
    check: (values) => ({ ...datesInOrder(values, campaign), ...budgetCoversSpent(values, campaign) }),
  });
  useOfferedBid((cents) => {
    if (canChange) form.set("cpm_bid_cents", cents);
  });
  const save = async () => {
    const changed = await form.send(pathOf(campaign), settingsOf);
    if (changed !== undefined) notifyDone("Saved. Every match from now on follows the change.");
  };
  const sentences = consequences(campaign, form.values, {
    nowMs: Date.now(),
    todaySpentCents: pacing.data?.today_spent_cents ?? 0,
    heldCents,
  });
  return (
    <Card>
      <Form onSend={save} isReadOnly={!canChange}>
        {canChange && <UnsavedNotice form={form} labels={CAMPAIGN_LABELS} />}
        <CampaignFields form={form} spentCents={campaign.spent_cents} />
        {form.failure && (
          <Alert color="negative" mt="lg">
            {form.failure}
          </Alert>
        )}
        {canChange && (
          <SaveButtons form={form} action="Save changes" mt="lg" align="flex-start">
            <div aria-live="polite">
              {form.hasProblems ? (
                <Text fz="xs" c="negative">
                  Not saved: a field above needs another value.
                </Text>
              ) : (
                form.isChanged &&
                form.failure === undefined &&
                !Object.values(form.values).some(isUnclear) &&
                sentences.map((sentence) => (
                  <Text key={sentence} fz="xs" c="dimmed">
                    {sentence}
                  </Text>
                ))
              )}
            </div>
          </SaveButtons>
        )}
      </Form>
    </Card>
  );
}

/** Takes a bid from the address into the form, once: what is done with it there is no longer the address's. */
function useOfferedBid(take: (cents: number) => void) {
  const [parameters] = useSearchParams();
  const offered = parameters.get("bid");
  const clear = useClearUrlState(["bid"]);
  const taking = useEffectEvent((bid: string) => {
    const cents = Number(bid);
    if (Number.isInteger(cents)) take(cents);
    clear();
  });
  useEffect(() => {
    if (offered !== null) taking(offered);
  }, [offered]);
}
