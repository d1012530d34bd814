import { Radio, Stack, Text, TextInput } from "@mantine/core";
import type { BodyOf } from "../../api/operations.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Choices } from "../../kit/choices.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { listField, numberField, textField } from "../../kit/fields.ts";
import { NumberField } from "../../kit/number-field.tsx";
import { type ApiKey, SCOPES } from "./key-scopes.ts";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const OVERLAPS = [
  { seconds: 0, label: "None: the old key ends at once" },
  { seconds: HOUR_SECONDS, label: "One hour" },
  { seconds: DAY_SECONDS, label: "One day" },
  { seconds: 7 * DAY_SECONDS, label: "Seven days" },
  { seconds: 30 * DAY_SECONDS, label: "Thirty days" },
];

interface SecretFormProps {
  onClose: () => void;
  onSecret: (value: string) => void;
}

const NEW_KEY: BodyOf<"POST /api-keys"> = { label: "", scopes: ["serving"] };

export function CreateKeyForm({ onClose, onSecret }: SecretFormProps) {
  const form = useApiForm("POST /api-keys", NEW_KEY, { draft: "new API key" });
  const send = async () => {
    const created = await form.send({});
    if (created !== undefined) onSecret(created.key);
  };
  return (
    <DialogForm form={form} onSend={send} onClose={onClose} action="Create key">
      <TextInput
        label="Label"
        description="By which you recognise it, such as the server that will use it."
        placeholder="e.g. Game server EU"
        {...textField(form, "label")}
        data-autofocus
      />
      <Choices label="Scopes" choices={SCOPES} {...listField(form, "scopes")} />
      <NumberField
        label="Limit (optional)"
        description="Requests a minute in each group of operations. Empty: the limits of the service."
        placeholder="Default"
        min={1}
        allowDecimal={false}
        {...numberField(form, "rate_limit_per_minute")}
      />
    </DialogForm>
  );
}

/** Replaces a key by another one with the same rights. */
export function RotateKeyForm({ apiKey, onClose, onSecret }: SecretFormProps & { apiKey: ApiKey }) {
  const form = useApiForm("POST /api-keys/{key_id}/rotate", { overlap_seconds: DAY_SECONDS });
  const send = async () => {
    const created = await form.send({ path: { key_id: apiKey.id } });
    if (created !== undefined) onSecret(created.key);
  };
  return (
    <DialogForm
      form={{ ...form, failure: form.failure ?? form.problem("overlap_seconds") }}
      onSend={send}
      onClose={onClose}
      action="Rotate key"
    >
      <Text>
        You get a new key with the same label, scopes and limit. The old one stays valid for the overlap, so
        that you can replace it everywhere first.
      </Text>
      <Radio.Group
        label="Overlap"
        value={String(form.values.overlap_seconds)}
        onChange={(seconds) => form.set("overlap_seconds", Number(seconds))}
      >
        <Stack gap="xs" my={4}>
          {OVERLAPS.map(({ seconds, label }) => (
            <Radio key={seconds} value={String(seconds)} label={label} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}
