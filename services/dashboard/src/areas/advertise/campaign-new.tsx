import { Alert, Button, Card, Group, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { type FormEvent, useEffect } from "react";
import { Link, useNavigate } from "react-router";
import type { BodyOf } from "../../api/operations.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Page } from "../../kit/page.tsx";
import { CampaignFields } from "./campaign-fields.tsx";

/** What a new campaign begins with. */
export const NEW_CAMPAIGN: Partial<BodyOf<"POST /campaigns">> = {
  budget_cents: 10_000,
  cpm_bid_cents: 1_000,
};

export function Component() {
  const navigate = useNavigate();
  const { canChange } = useAbility();
  // Nothing is lost by leaving: the draft of the form stays in the browser until it is sent.
  const [draft, setDraft, removeDraft] = useLocalStorage({
    key: "diegetic-new-campaign",
    defaultValue: NEW_CAMPAIGN,
    getInitialValueInEffect: false,
  });
  const form = useApiForm("POST /campaigns", draft);
  useEffect(() => {
    if (form.isChanged) setDraft(form.values);
  }, [form.isChanged, form.values, setDraft]);
  const create = async (event: FormEvent) => {
    event.preventDefault();
    const campaign = await form.send({});
    if (campaign === undefined) return;
    removeDraft();
    await navigate(`/campaigns/${campaign.id}/creatives/new`);
  };
  return (
    <Page
      title="New campaign"
      back={{ to: "/campaigns", label: "Campaigns" }}
      about="It starts as a draft. Nothing is served or spent before you activate it."
    >
      <Card>
        <form onSubmit={(event) => void create(event)} noValidate>
          {form.failure && (
            <Alert color="negative" mb="md">
              {form.failure}
            </Alert>
          )}
          <fieldset disabled={!canChange} style={{ border: 0, padding: 0, margin: 0 }}>
            <CampaignFields form={form} />
          </fieldset>
          {canChange ? (
            <Group mt="lg">
              <Button type="submit" loading={form.isSending}>
                Create campaign
              </Button>
              <Button component={Link} to="/campaigns" variant="default">
                Cancel
              </Button>
              <Text c="dimmed" fz={13}>
                Next: write what players will read.
              </Text>
            </Group>
          ) : (
            <Text c="dimmed" mt="lg">
              Ask an owner or a manager of the account to create campaigns.
            </Text>
          )}
        </form>
      </Card>
    </Page>
  );
}
