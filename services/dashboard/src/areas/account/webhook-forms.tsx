import { Switch, Text, TextInput } from "@mantine/core";
import type { BodyOf } from "../../api/operations.ts";
import { useReadNow } from "../../api/queries.ts";
import { type ApiForm, useApiForm } from "../../api/use-api-form.ts";
import { numberLimits } from "../../api/use-field-problems.ts";
import { formatCents } from "../../format/format.ts";
import { Choices } from "../../kit/choices.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { listField, moneyField, numberField, requiredTextField } from "../../kit/fields.ts";
import { MoneyInput } from "../../kit/money-input.tsx";
import { notifyDone } from "../../kit/notify.ts";
import { NumberField } from "../../kit/number-field.tsx";
import { EVENTS, type EventType, type Webhook } from "./webhook-events.ts";

const BALANCE_LOW = numberLimits("POST /webhooks", "balance_low_cents");
const HOLD_EXPIRY = numberLimits("POST /webhooks", "hold_expiry_percent");

interface SecretFormProps {
  onClose: () => void;
  onSecret: (secret: string) => void;
}

/** In a dialog that stays open until the answer is there: the secret is shown once. */
export function RotateSecretForm({ webhook, onClose, onSecret }: SecretFormProps & { webhook: Webhook }) {
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

const NEW_WEBHOOK: BodyOf<"POST /webhooks"> = { url: "", events: [] };

export function CreateWebhookForm({ onClose, onSecret }: SecretFormProps) {
  const form = useApiForm("POST /webhooks", NEW_WEBHOOK, { draft: "new webhook" });
  const send = async () => {
    const created = await form.send({});
    if (created !== undefined) onSecret(created.secret);
  };
  return (
    <DialogForm form={form} onSend={send} onClose={onClose} action="Create webhook">
      <Fields form={form} />
    </DialogForm>
  );
}

/** The fields that a form changes. */
function fieldsOf({ url, events, is_active, balance_low_cents, hold_expiry_percent }: Webhook) {
  return { url, events, is_active, balance_low_cents, hold_expiry_percent };
}

export function EditWebhookForm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
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
  return (
    <DialogForm form={form} onSend={send} onClose={onClose} action="Save changes">
      <Switch
        wrapperProps={form.markOf("is_active")}
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
        description="The address of your server: https, unless the operator of this installation allows http."
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
