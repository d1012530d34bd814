import { Alert, Anchor, Button, Card, Group, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import type { AnswerOf } from "../../api/operations.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { formatCents } from "../../format/format.ts";
import { textField } from "../../kit/fields.ts";
import { Form } from "../../kit/form.tsx";
import { Story } from "../../scene/story.tsx";
import { CampaignFields } from "./campaign-fields.tsx";
import { NEW_CAMPAIGN } from "./campaign-new.tsx";
import type { CampaignSummary } from "./campaign-state.ts";
import { DepositForm } from "./deposit-form.tsx";
import classes from "./first-steps.module.css";
import { missingLine } from "./form-checks.ts";
import { LineAdvice } from "./line-advice.tsx";
import { RegisterForm } from "./register-form.tsx";
import { balanceSentence } from "./spend-outlook.ts";
import { useActivation } from "./use-activation.tsx";

interface FirstStepsProps {
  advertiser: AnswerOf<"GET /profile"> | undefined;
  campaigns: readonly CampaignSummary[];
}

/** The way to a first active campaign, each step done in place; gone when one has been activated. */
export function FirstSteps({ advertiser, campaigns }: FirstStepsProps) {
  const { canChange } = useAbility();
  const campaign = campaigns[0];
  const steps: { title: string; isDone: boolean; body: ReactNode; page?: string }[] = [
    {
      title: "Say who advertises",
      isDone: advertiser !== undefined,
      page: "/account",
      body: <RegisterForm />,
    },
    {
      title: "Deposit money",
      isDone: (advertiser?.balance_cents ?? 0) > 0,
      page: "/money",
      body: <DepositForm />,
    },
    {
      title: "Set a budget and a bid",
      isDone: campaign !== undefined,
      ...(campaign && { page: `/campaigns/${campaign.campaign_id}/settings` }),
      body: <CampaignStep balanceCents={advertiser?.balance_cents ?? 0} />,
    },
    {
      title: "Write what players will read",
      isDone: (campaign?.creatives ?? 0) > 0,
      ...(campaign && { page: `/campaigns/${campaign.campaign_id}/lines` }),
      body: campaign && <CreativeStep campaign={campaign} company={advertiser?.company_name ?? ""} />,
    },
    {
      title: "Activate",
      isDone: false,
      body: campaign && <ActivateStep campaign={campaign} balanceCents={advertiser?.balance_cents} />,
    },
  ];
  const now = steps.findIndex(({ isDone }) => !isDone);
  const current = useRef<HTMLParagraphElement>(null);
  const former = useRef(now);
  useEffect(() => {
    if (former.current === now) return;
    former.current = now;
    // The button that had the focus went with the step that it ended.
    if (document.activeElement === document.body) current.current?.focus();
  }, [now]);
  return (
    <Card component="section" aria-label="First steps">
      <Group justify="space-between" mb="xs">
        <Title order={2}>First steps</Title>
        <Text c="dimmed">
          {steps.filter(({ isDone }) => isDone).length} of {steps.length} done
        </Text>
      </Group>
      {advertiser === undefined && canChange && (
        <Text className={classes.other ?? ""}>
          Do you make a game?{" "}
          <Anchor component={Link} to="/match-tester">
            Try a first ad in it
          </Anchor>
        </Text>
      )}
      <ol className={classes.steps}>
        {steps.map(({ title, isDone, body, page }, index) => {
          const state = isDone ? "done" : index === now ? "now" : "later";
          return (
            <li key={title} {...(state === "now" && { "aria-current": "step" as const })}>
              <div className={classes.step}>
                <span className={classes.mark} data-state={state}>
                  {isDone ? <IconCheck size={14} aria-label="Done" /> : index + 1}
                </span>
                <Text
                  {...(state === "now" && { ref: current, tabIndex: -1 })}
                  fw={state === "now" ? 600 : 400}
                  c={state === "now" ? undefined : "dimmed"}
                  fz="md"
                >
                  {isDone && canChange && page !== undefined ? (
                    <Anchor component={Link} to={page} inherit>
                      {title}
                    </Anchor>
                  ) : (
                    title
                  )}
                </Text>
              </div>
              {state === "now" && (
                <div className={classes.body}>
                  {canChange ? (
                    body
                  ) : (
                    <Text c="dimmed">Ask an owner or a manager of the account to do this.</Text>
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}

function CampaignStep({ balanceCents }: { balanceCents: number }) {
  const form = useApiForm(
    "POST /campaigns",
    { name: "First campaign", ...NEW_CAMPAIGN, ...(balanceCents > 0 && { budget_cents: balanceCents }) },
    { draft: "first-campaign" },
  );
  const create = async () => {
    await form.send({});
  };
  return (
    <Form onSend={create}>
      <CampaignFields form={form} isShort />
      {form.failure && (
        <Alert color="negative" mt="md">
          {form.failure}
        </Alert>
      )}
      <Group mt="md">
        <Button type="submit" loading={form.isSending}>
          Create campaign
        </Button>
        <Text c="dimmed" fz="xs">
          Dates, a daily cap and targeting can follow later.
        </Text>
      </Group>
    </Form>
  );
}

function CreativeStep({ campaign, company }: { campaign: CampaignSummary; company: string }) {
  const form = useApiForm(
    "POST /campaigns/{campaign_id}/creatives",
    {
      creative_type: "narrative_hook",
      brand_name: company,
    },
    { draft: `first creative of ${campaign.campaign_id}`, check: missingLine },
  );
  const create = async () => {
    await form.send({ path: { campaign_id: campaign.campaign_id } });
  };
  const brand = form.values.brand_name ?? "your brand";
  return (
    <Form onSend={create}>
      <Stack maw={560}>
        <TextInput label="Brand" {...textField(form, "brand_name")} />
        <div>
          <Textarea
            label="Line"
            description={`One sentence of a story, which the game inserts word for word. For example: The innkeeper pours you an ale of ${brand}.`}
            autosize
            minRows={2}
            {...textField(form, "narrative_hook")}
          />
          <LineAdvice lines={[form.values.narrative_hook]} />
        </div>
        <Story
          before="The fire has burned low, and the last guests lean closer together."
          line={form.values.narrative_hook || "Your line appears here."}
          after="“You look as if you came a long way,” she says."
        />
        {form.failure && <Alert color="negative">{form.failure}</Alert>}
        <Group>
          <Button type="submit" loading={form.isSending}>
            Save creative
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

interface ActivateStepProps {
  campaign: CampaignSummary;
  balanceCents: number | undefined;
}

function ActivateStep({ campaign, balanceCents }: ActivateStepProps) {
  const { campaign_id: id, name } = campaign;
  const activation = useActivation({ ...campaign, id });
  return (
    <Stack>
      <Text>
        Once it is active, games can show {name}. You pay only when a player has seen it, and never more than{" "}
        {formatCents(campaign.budget_cents)}. {balanceSentence(campaign.budget_cents, 0, balanceCents)}
      </Text>
      <Group>
        <Button onClick={() => void activation.run()} loading={activation.isRunning}>
          Activate campaign
        </Button>
      </Group>
      {activation.dialog}
    </Stack>
  );
}
