import { Alert, Button, Card, Group, Text } from "@mantine/core";
import { useNavigate } from "react-router";
import type { BodyOf } from "../../api/operations.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { Form } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { CampaignFields } from "./campaign-fields.tsx";
import { capBelowPrice } from "./consequences.ts";
import { ForManagers } from "./for-managers.tsx";
import { datesInOrder } from "./form-checks.ts";
import { NotRegistered } from "./not-registered.tsx";
import { useAdvertiser } from "./use-advertiser.ts";

/** What a new campaign begins with. */
export const NEW_CAMPAIGN: Partial<BodyOf<"POST /campaigns">> = {
  budget_cents: 10_000,
  cpm_bid_cents: 1_000,
};

export function Component() {
  const navigate = useNavigate();
  const { canChange } = useAbility();
  const form = useApiForm("POST /campaigns", NEW_CAMPAIGN, {
    draft: "new-campaign",
    check: (dates) => datesInOrder(dates),
  });
  const { isUnregistered } = useAdvertiser();
  if (isUnregistered) return <NotRegistered title="New campaign" />;
  const back = { to: "/campaigns", label: "Campaigns" };
  if (!canChange) {
    return (
      <Page title="New campaign" back={back}>
        <ForManagers task="create campaigns" next={{ to: back.to, label: "Show the campaigns" }} />
      </Page>
    );
  }
  const create = async () => {
    const campaign = await form.send({});
    if (campaign === undefined) return;
    await navigate(`/campaigns/${campaign.id}/creatives/new`);
  };
  const capSentence = capBelowPrice(form.values);
  return (
    <Page
      title="New campaign"
      back={back}
      about="It starts as a draft. Nothing is served or spent before you activate it."
    >
      <Card>
        <Form onSend={create}>
          <CampaignFields form={form} />
          {form.failure && (
            <Alert color="negative" mt="lg">
              {form.failure}
            </Alert>
          )}
          <Group mt="lg">
            <Button type="submit" loading={form.isSending}>
              Create campaign
            </Button>
            <ButtonLink to="/campaigns" variant="default" onClick={form.discard}>
              {form.isChanged ? "Discard draft" : "Cancel"}
            </ButtonLink>
            <div aria-live="polite">
              {capSentence !== undefined && (
                <Text c="warning" fz="xs">
                  {capSentence}
                </Text>
              )}
              <Text c="dimmed" fz="xs">
                Next: write what players will read.
              </Text>
            </div>
          </Group>
        </Form>
      </Card>
    </Page>
  );
}
