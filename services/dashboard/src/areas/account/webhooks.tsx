import { Button, Switch, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { BodyOf } from "../../api/operations.ts";
import { useChange, useRead, useReadNow } from "../../api/queries.ts";
import { useAbility, useSession } from "../../api/session.ts";
import { type ApiForm, useApiForm } from "../../api/use-api-form.ts";
import { numberLimits } from "../../api/use-field-problems.ts";
import { formatCents } from "../../format/format.ts";
import { Choices } from "../../kit/choices.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { ConflictNotice } from "../../kit/conflict-notice.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { listField, moneyField, numberField, requiredTextField } from "../../kit/fields.ts";
import { MoneyInput } from "../../kit/money-input.tsx";
import { notifyDone, notifyFailed } from "../../kit/notify.ts";
import { NumberField } from "../../kit/number-field.tsx";
import { Page } from "../../kit/page.tsx";
import { RowActions } from "../../kit/row-actions.tsx";
import { SecretStep } from "../../kit/secret.tsx";
import { Empty } from "../../kit/states.tsx";
import { EVENTS, type EventType, type Webhook } from "./webhook-events.ts";

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
const BALANCE_LOW = numberLimits("POST /webhooks", "balance_low_cents");
const HOLD_EXPIRY = numberLimits("POST /webhooks", "hold_expiry_percent");

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
        {dialog?.kind === "create" && <CreateForm onClose={close} onSecret={showSecret} />}
        {dialog?.kind === "edit" && <EditForm webhook={dialog.webhook} onClose={close} />}
        {dialog?.kind === "rotate" && (
          <RotateForm webhook={dialog.webhook} onClose={close} onSecret={showSecret} />
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
          A webhook is an https address of your server. It learns of exhausted campaigns, a low balance and
          complete earnings.
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
        make.text("events", "Events", ({ events }) => events.map(labelOf).join(", "), { phone: "fact" }),
        make.moment("created", "Created", ({ created_at: at }) => at),
        make.actions((webhook) =>
            canChange ? <Actions webhook={webhook} onEdit={onEdit} onRotate={onRotate} /> : null),
      ]}
    />
  );
}

interface SecretFormProps {
  onClose: () => void;
  onSecret: (secret: string) => void;
}

/** In a dialog that stays open until the answer is there: the secret is shown once. */
function RotateForm({ webhook, onClose, onSecret }: SecretFormProps & { webhook: Webhook }) {
  const form = useApiForm("POST /webhooks/{webhook_id}/rotate-secret", {});
  const send = async () => {
    const rotated = await form.send({ path: { webhook_id: webhook.id } });
    if (rotated !== undefined) onSecret(rotated.secret);
  };
  return (
    <DialogForm form={form} onSend={send} onClose={onClose} action="Rotate secret">
      <Text>
        You get a new secret. For a day every event is signed with the old one, too. A secret that was
        replaced before ends at once.
      </Text>
    </DialogForm>
  );
}

function labelOf(event: EventType): string {
  return EVENTS.find(({ value }) => value === event)?.label ?? event;
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

const NEW_WEBHOOK: BodyOf<"POST /webhooks"> = { url: "", events: [] };

function CreateForm({ onClose, onSecret }: SecretFormProps) {
  const form = useApiForm("POST /webhooks", NEW_WEBHOOK, { draft: "new webhook" });
  const send = async () => {
    const created = await form.send({});
    if (created !== undefined) onSecret(created.secret);
  };
  const cancel = () => {
    form.reset(NEW_WEBHOOK);
    onClose();
  };
  return (
    <DialogForm form={form} onSend={send} onClose={cancel} action="Create webhook">
      <Fields form={form} />
    </DialogForm>
  );
}

/** The fields that a form changes. */
function fieldsOf({ url, events, is_active, balance_low_cents, hold_expiry_percent }: Webhook) {
  return { url, events, is_active, balance_low_cents, hold_expiry_percent };
}

function EditForm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const at = { path: { webhook_id: webhook.id } };
  const stored = fieldsOf(webhook);
  const readNow = useReadNow("GET /webhooks/{webhook_id}", at);
  const form = useApiForm("PATCH /webhooks/{webhook_id}", stored, {
    draft: `webhook ${webhook.id}`,
    readStored: async () => fieldsOf(await readNow()),
  });
  const send = async () => {
    const changed = await form.send(at);
    if (changed === undefined) return;
    notifyDone("The webhook is changed.");
    onClose();
  };
  const cancel = () => {
    form.reset(stored);
    onClose();
  };
  return (
    <DialogForm form={form} onSend={send} onClose={cancel} action="Save changes">
      <ConflictNotice form={form} />
      <Switch
        label="Active"
        description="While it is off, events are neither recorded nor sent."
        checked={form.values.is_active ?? true}
        onChange={({ currentTarget }) => form.set("is_active", currentTarget.checked)}
      />
      <Fields form={form} stored={stored} />
    </DialogForm>
  );
}

const THRESHOLDS = [
  { event: "balance.low", field: "balance_low_cents" },
  { event: "holds.expiry_rate_high", field: "hold_expiry_percent" },
] as const;

type WebhookForm = ApiForm<"POST /webhooks"> | ApiForm<"PATCH /webhooks/{webhook_id}">;

interface FieldsProps {
  form: WebhookForm;
  stored?: Pick<Webhook, (typeof THRESHOLDS)[number]["field"]>;
}

function Fields({ form: anyForm, stored }: FieldsProps) {
  // The two bodies have the same fields; a create only needs more of them.
  const form = anyForm as ApiForm<"POST /webhooks">;
  const events = form.values.events ?? [];
  const setEvents = (chosen: EventType[]) => {
    form.set("events", chosen);
    // The field of a threshold disappears with its event: an invalid value could not be corrected.
    for (const { event, field } of THRESHOLDS) {
      if (!chosen.includes(event)) form.set(field, stored?.[field]);
    }
  };
  return (
    <>
      <TextInput
        label="Address"
        description="An https address of your server."
        placeholder="https://studio.example/diegetic"
        {...requiredTextField(form, "url")}
        data-autofocus
      />
      <Choices label="Events" choices={EVENTS} {...listField(form, "events")} onChange={setEvents} />
      {events.includes("balance.low") && (
        <MoneyInput
          label="Balance below (optional)"
          description={`Without it, ${formatCents(BALANCE_LOW.usual)}.`}
          {...moneyField(form, "balance_low_cents", null)}
        />
      )}
      {events.includes("holds.expiry_rate_high") && (
        <NumberField
          label="Unseen matches, percent (optional)"
          description={`Without it, ${HOLD_EXPIRY.usual} percent.`}
          allowDecimal={false}
          {...numberField(form, "hold_expiry_percent", null)}
        />
      )}
    </>
  );
}
