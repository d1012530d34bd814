import { Alert, Button, Text } from "@mantine/core";
import { useState } from "react";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility, useSession } from "../../api/session.ts";
import { formatAgo } from "../../format/format.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { LongName } from "../../kit/long-name.tsx";
import { Moment } from "../../kit/moment.tsx";
import { attempt } from "../../kit/notify.ts";
import { labelOf } from "../../kit/options.ts";
import { Page } from "../../kit/page.tsx";
import { RowActions } from "../../kit/row-actions.tsx";
import { SecretStep } from "../../kit/secret.tsx";
import { Empty, NotLoaded } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { usePending } from "../../kit/use-pending.ts";
import { CreateKeyForm, RotateKeyForm } from "./key-forms.tsx";
import { type ApiKey, limitText, SCOPES } from "./key-scopes.ts";

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
        {dialog?.kind === "create" && <CreateKeyForm onClose={close} onSecret={showSecret} />}
        {dialog?.kind === "rotate" && (
          <RotateKeyForm apiKey={dialog.key} onClose={close} onSecret={showSecret} />
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
        make.text(
          "scopes",
          "Scopes",
          ({ scopes }) => scopes.map((scope) => labelOf(SCOPES, scope)).join(", "),
          { phone: "fact" },
        ),
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
          ) : null,
        ),
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
