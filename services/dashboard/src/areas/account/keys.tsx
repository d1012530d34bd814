import { Alert, Button, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { BodyOf } from "../../api/operations.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility, useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { formatAgo } from "../../format/format.ts";
import { Choices } from "../../kit/choices.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { listField, numberField, textField } from "../../kit/fields.ts";
import { LongName } from "../../kit/long-name.tsx";
import { Moment } from "../../kit/moment.tsx";
import { attempt } from "../../kit/notify.ts";
import { NumberField } from "../../kit/number-field.tsx";
import { Page } from "../../kit/page.tsx";
import { RowActions } from "../../kit/row-actions.tsx";
import { SecretStep } from "../../kit/secret.tsx";
import { Empty, NotLoaded } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { usePending } from "../../kit/use-pending.ts";
import { type ApiKey, limitText, SCOPES, scopeLabel } from "./key-scopes.ts";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const OVERLAPS = [
  { seconds: 0, label: "None: the old key ends at once" },
  { seconds: HOUR_SECONDS, label: "One hour" },
  { seconds: DAY_SECONDS, label: "One day" },
  { seconds: 7 * DAY_SECONDS, label: "Seven days" },
  { seconds: 30 * DAY_SECONDS, label: "Thirty days" },
];

const KEY_WARNING = "Whoever has it acts for this account. Keep it on a server, never in a game's client.";

type OpenDialog = { kind: "create" } | { kind: "rotate"; key: ApiKey } | { kind: "secret"; value: string };

/** The API keys of the account: created, rotated and revoked by its owners. */
export function Component() {
  const { account, role } = useSession();
  const { canAdminister } = useAbility();
  const [dialog, setDialog] = useState<OpenDialog>();
  const create = () => setDialog({ kind: "create" });
  const close = () => setDialog(undefined);
  const showSecret = (value: string) => setDialog({ kind: "secret", value });
  return (
    <Page
      title="API keys"
      about={`Game servers and tools act for ${account.label} with a key. Give each one its own.`}
      actions={canAdminister && <Button onClick={create}>Create key</Button>}
    >
      {!canAdminister && (
        <Alert role="note" color="info" title={`As a ${role} you can look at keys only`}>
          Owners create, rotate and revoke keys, since a key outlives the membership of whoever made it. The
          page Members names the owners.
        </Alert>
      )}
      <Keys onCreate={create} onRotate={(key) => setDialog({ kind: "rotate", key })} />
      <Dialog
        opened={dialog !== undefined}
        onClose={close}
        title={dialog && titleOf(dialog)}
        hasSecret={dialog?.kind === "secret"}
      >
        {dialog?.kind === "create" && <CreateForm onClose={close} onSecret={showSecret} />}
        {dialog?.kind === "rotate" && (
          <RotateForm apiKey={dialog.key} onClose={close} onSecret={showSecret} />
        )}
        {dialog?.kind === "secret" && (
          <SecretStep label="API key" value={dialog.value} warning={KEY_WARNING} onClose={close} />
        )}
      </Dialog>
    </Page>
  );
}

function titleOf(dialog: OpenDialog): string {
  switch (dialog.kind) {
    case "create":
      return "Create an API key";
    case "rotate":
      return `Rotate ${dialog.key.label}`;
    case "secret":
      return "The new API key";
  }
}

interface KeysProps {
  onCreate: () => void;
  onRotate: (key: ApiKey) => void;
}

function Keys({ onCreate, onRotate }: KeysProps) {
  const { canAdminister } = useAbility();
  const confirm = useConfirm();
  const keys = useRead("GET /api-keys");
  const members = useRead("GET /members");
  const creatorName = (userId: string | null) => {
    if (userId === null) return "A command";
    if (members.data === undefined) return "";
    return members.data.find(({ user_id: id }) => id === userId)?.name ?? "A former member";
  };
  const { isPending, whilePending } = usePending();
  const revoke = useChange("DELETE /api-keys/{key_id}");
  const askToRevoke = async ({ id, label, scopes, last_used_at: usedAt }: ApiKey) => {
    const isAgreed = await confirm({
      title: `Revoke ${label}`,
      consequences: [
        "The very next request with this key is refused with 401. This cannot be undone.",
        usedAt === null
          ? "It has not been used yet."
          : `It was last used ${formatAgo(usedAt, Date.now())}. Whatever still uses it stops working.`,
        ...(scopes.includes("serving")
          ? [
              "A game server with this key shows no ads, and the impressions that it has not sent yet are lost.",
            ]
          : []),
        "To change a key without an interruption, rotate it.",
      ],
      action: "Revoke key",
      isDestructive: true,
    });
    if (!isAgreed) return;
    await attempt(() => whilePending(id, () => revoke.mutateAsync({ path: { key_id: id } })), {
      done: `${label} can no longer be used.`,
      failed: "The key was not revoked.",
      change: "the key was revoked",
    });
  };
  return (
    <DataTable
      label="API keys"
      rows={keys.data}
      rowKey={({ id }) => id}
      read={keys}
      skeletonRows={3}
      empty={
        <Empty
          line="The door is locked, and no key has been cut."
          action={
            canAdminister && (
              <Button variant="default" onClick={onCreate}>
                Create key
              </Button>
            )
          }
        >
          A game server needs a key with the scope Serving. A tool for campaigns needs Advertiser.
        </Empty>
      }
      columns={(make) => [
        make.name("label", "Label", ({ label }) => label, { below: (key) => <KeyDetails apiKey={key} /> }),
        make.text("used", "Last used", ({ last_used_at: at }) => at, {
          phone: "fact",
          cell: ({ last_used_at: at }) =>
            at === null ? (
              <Status tone="quiet">Not used yet</Status>
            ) : (
              <Status tone="positive">
                <span>
                  Used <Moment iso={at} />
                </span>
              </Status>
            ),
        }),
        make.text("scopes", "Scopes", ({ scopes }) => scopes.map(scopeLabel).join(", "), { phone: "fact" }),
        make.number("limit", "Limit", ({ rate_limit_per_minute: limit }) => limit, {
          help: "Requests in each group of operations. Default: the limits of the service.",
          csv: ({ rate_limit_per_minute: limit }) => limitText(limit),
          cell: ({ rate_limit_per_minute: limit }) => limitText(limit),
        }),
        make.moment("created", "Created", ({ created_at: at }) => at),
        make.text("creator", "Created by", ({ created_by_user_id: by }) => creatorName(by), {
          cell: ({ created_by_user_id: by }) =>
            members.isError && by !== null && members.data === undefined ? (
              <NotLoaded label="Created by" read={members} />
            ) : (
              <LongName isAside>{creatorName(by)}</LongName>
            ),
          help: "The member who made the key, or the key that it replaces. A key outlives the membership of its creator.",
        }),
        make.actions((key) =>
            canAdminister ? (
              <RowActions
                actions={[
                  { label: "Rotate", name: key.label, run: () => onRotate(key) },
                  {
                    label: "Revoke",
                    name: key.label,
                    run: () => void askToRevoke(key),
                    isPending: isPending(key.id),
                    isDestructive: true,
                  },
                ]}
              />
            ) : null),
      ]}
    />
  );
}

/** How a key begins, and when it ends. */
function KeyDetails({ apiKey: { prefix, expires_at: endsAt } }: { apiKey: ApiKey }) {
  return (
    <>
      <Text ff="monospace" fz="xs" c="dimmed">
        {prefix}…
      </Text>
      {endsAt !== null && (
        <Status tone="warning">
          <span>
            Replaced, ends <Moment iso={endsAt} />
          </span>
        </Status>
      )}
    </>
  );
}

interface SecretFormProps {
  onClose: () => void;
  onSecret: (value: string) => void;
}

const NEW_KEY: BodyOf<"POST /api-keys"> = { label: "", scopes: ["serving"] };

function CreateForm({ onClose, onSecret }: SecretFormProps) {
  const form = useApiForm("POST /api-keys", NEW_KEY, { draft: "new API key" });
  const send = async () => {
    const created = await form.send({});
    if (created !== undefined) onSecret(created.key);
  };
  const cancel = () => {
    form.reset(NEW_KEY);
    onClose();
  };
  return (
    <DialogForm form={form} onSend={send} onClose={cancel} action="Create key">
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

function RotateForm({ apiKey, onClose, onSecret }: SecretFormProps & { apiKey: ApiKey }) {
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
