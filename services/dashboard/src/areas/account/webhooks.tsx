import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility, useSession } from "../../api/session.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { attempt } from "../../kit/notify.ts";
import { labelOf } from "../../kit/options.ts";
import { Page } from "../../kit/page.tsx";
import { RowActions } from "../../kit/row-actions.tsx";
import { SecretStep } from "../../kit/secret.tsx";
import { Empty } from "../../kit/states.tsx";
import { EVENTS, type Webhook } from "./webhook-events.ts";
import { CreateWebhookForm, EditWebhookForm, RotateSecretForm } from "./webhook-forms.tsx";

type OpenDialog =
  | { kind: "create" }
  | { kind: "edit" | "rotate"; webhook: Webhook }
  | { kind: "secret"; value: string };
const TITLES: Record<OpenDialog["kind"], string> = {
  create: "Create a webhook",
  edit: "Edit the webhook",
  rotate: "Rotate the secret",
  secret: "The secret of the webhook",
};

/** The webhooks of the account. */
export function Component() {
  const { account } = useSession();
  const { canChange } = useAbility();
  const [dialog, setDialog] = useState<OpenDialog>();
  const create = () => setDialog({ kind: "create" });
  const close = () => setDialog(undefined);
  const showSecret = (value: string) => setDialog({ kind: "secret", value });
  return (
    <Page
      title="Webhooks"
      about={`Diegetic tells your server what happens to ${account.label}, signed with a secret.`}
      actions={canChange && <Button onClick={create}>Create webhook</Button>}
    >
      <Webhooks
        onCreate={create}
        onEdit={(webhook) => setDialog({ kind: "edit", webhook })}
        onRotate={(webhook) => setDialog({ kind: "rotate", webhook })}
      />
      <Dialog
        opened={dialog !== undefined}
        onClose={close}
        title={dialog && TITLES[dialog.kind]}
        hasSecret={dialog?.kind === "secret"}
      >
        {dialog?.kind === "create" && <CreateWebhookForm onClose={close} onSecret={showSecret} />}
        {dialog?.kind === "edit" && <EditWebhookForm webhook={dialog.webhook} onClose={close} />}
        {dialog?.kind === "rotate" && (
          <RotateSecretForm webhook={dialog.webhook} onClose={close} onSecret={showSecret} />
        )}
        {dialog?.kind === "secret" && (
          <SecretStep
            label="secret"
            value={dialog.value}
            warning="Your server verifies each event with it. Whoever has it can forge events."
            loss="It cannot be shown again. When it is lost, rotate it to get another."
            onClose={close}
          />
        )}
      </Dialog>
    </Page>
  );
}

interface WebhooksProps {
  onCreate: () => void;
  onEdit: (webhook: Webhook) => void;
  onRotate: (webhook: Webhook) => void;
}

function Webhooks({ onCreate, onEdit, onRotate }: WebhooksProps) {
  const { canChange } = useAbility();
  const webhooks = useRead("GET /webhooks");
  return (
    <DataTable
      label="Webhooks"
      rows={webhooks.data}
      rowKey={({ id }) => id}
      rowTo={({ id }) => `/webhooks/${id}`}
      read={webhooks}
      skeletonRows={2}
      isPlain
      empty={
        <Empty
          line="Nobody listens at the door yet."
          action={
            canChange && (
              <Button variant="default" onClick={onCreate}>
                Create webhook
              </Button>
            )
          }
        >
          A webhook is an address of your server. It learns of exhausted campaigns, a low balance and complete
          earnings.
          {!canChange && " Owners and managers of the account can create one."}
        </Empty>
      }
      columns={(make) => [
        make.text("url", "Address", ({ url }) => url, {
          phone: "title",
          cell: ({ url }) => (
            <Text fw={600} style={{ overflowWrap: "anywhere" }}>
              {url}
            </Text>
          ),
        }),
        make.status(
          "state",
          "State",
          ({ is_active: isActive }) =>
            isActive ? { tone: "positive", word: "Active" } : { tone: "quiet", word: "Inactive" },
          { phone: "fact" },
        ),
        make.text(
          "events",
          "Events",
          ({ events }) => events.map((event) => labelOf(EVENTS, event)).join(", "),
          { phone: "fact" },
        ),
        make.moment("created", "Created", ({ created_at: at }) => at),
        make.actions((webhook) =>
          canChange ? <Actions webhook={webhook} onEdit={onEdit} onRotate={onRotate} /> : null,
        ),
      ]}
    />
  );
}

type ActionsProps = Omit<WebhooksProps, "onCreate"> & { webhook: Webhook };

function Actions({ webhook, onEdit, onRotate }: ActionsProps) {
  const confirm = useConfirm();
  const remove = useChange("DELETE /webhooks/{webhook_id}");
  const askToDelete = async () => {
    const isAgreed = await confirm({
      title: "Delete the webhook",
      consequences: [
        `Nothing more is sent to ${webhook.url}.`,
        "Its deliveries are deleted with it. This cannot be undone.",
      ],
      action: "Delete webhook",
      isDestructive: true,
    });
    if (!isAgreed) return;
    await attempt(() => remove.mutateAsync({ path: { webhook_id: webhook.id } }), {
      done: "The webhook is deleted.",
      failed: "The webhook was not deleted.",
      change: "the webhook was deleted",
    });
  };
  return (
    <RowActions
      actions={[
        { label: "Edit", name: webhook.url, run: () => onEdit(webhook) },
        { label: "Rotate secret", name: `of ${webhook.url}`, run: () => onRotate(webhook) },
        {
          label: "Delete",
          name: webhook.url,
          run: () => void askToDelete(),
          isPending: remove.isPending,
          isDestructive: true,
        },
      ]}
    />
  );
}
