import { Select, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { BodyOf } from "../../api/operations.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { TableSection } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { choiceField, textField } from "../../kit/fields.ts";
import { attempt } from "../../kit/notify.ts";
import { labelOf } from "../../kit/options.ts";
import { RowAction } from "../../kit/row-actions.tsx";
import { SecretStep } from "../../kit/secret.tsx";
import { usePending } from "../../kit/use-pending.ts";
import { abilitiesOf, ROLES } from "./roles.ts";

/** The invitations that nobody has accepted yet. */
export function Invitations() {
  const { canAdminister } = useAbility();
  const invitations = useRead("GET /invitations");
  const remove = useChange("DELETE /invitations/{invitation_id}");
  const { isPending, whilePending } = usePending();
  if (invitations.data === undefined ? !invitations.isError : invitations.data.length === 0) return null;
  const withdraw = async (id: string) => {
    await attempt(() => whilePending(id, () => remove.mutateAsync({ path: { invitation_id: id } })), {
      done: "The invitation can no longer be used.",
      failed: "The invitation still stands.",
      change: "the invitation was withdrawn",
    });
  };
  return (
    <TableSection
      title="Open invitations"
      isPlain
      name="invitations"
      rows={invitations.data}
      rowKey={({ id }) => id}
      read={invitations}
      empty={null}
      columns={(make) => [
        make.name("note", "For", ({ note }) => note ?? "Anybody with the link"),
        make.text("role", "Role", ({ role }) => role, {
          phone: "fact",
          cell: ({ role }) => labelOf(ROLES, role),
        }),
        make.moment("expires", "Ends", ({ expires_at: at }) => at, { phone: "fact" }),
        make.actions(({ id, note }) =>
          canAdminister ? (
            <RowAction
              label="Withdraw"
              name={`the invitation for ${note ?? "anybody with the link"}`}
              run={() => void withdraw(id)}
              isPending={isPending(id)}
              isDestructive
            />
          ) : null,
        ),
      ]}
    />
  );
}

const NEW_INVITATION: BodyOf<"POST /invitations"> = { role: "viewer" };

/** Makes an invitation, then shows its link once. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [link, setLink] = useState<string>();
  const close = () => {
    onClose();
    setLink(undefined);
  };
  return (
    <Dialog opened={isOpen} onClose={close} title="Invite a member" hasSecret={link !== undefined}>
      {link === undefined ? (
        <InviteForm onClose={close} onLink={setLink} />
      ) : (
        <SecretStep
          label="invitation link"
          value={link}
          warning="Whoever has it can join the account."
          loss="It is shown once. When it is lost, withdraw the invitation and create another."
          onClose={close}
        />
      )}
    </Dialog>
  );
}

function InviteForm({ onClose, onLink }: { onClose: () => void; onLink: (link: string) => void }) {
  const form = useApiForm("POST /invitations", NEW_INVITATION, { draft: "new invitation" });
  const { role = NEW_INVITATION.role } = form.values;
  const invite = async () => {
    const made = await form.send({});
    if (made !== undefined) onLink(`${location.origin}${made.link_path}`);
  };
  return (
    <DialogForm form={form} onSend={invite} onClose={onClose} action="Create invitation link">
      <Select
        label="Role"
        data={ROLES}
        {...choiceField(form, "role")}
        allowDeselect={false}
        description={abilitiesOf(role)}
        data-autofocus
      />
      <TextInput
        label="For whom (optional)"
        description="Only a note, so that you recognise the invitation in the list."
        {...textField(form, "note")}
        maxLength={200}
      />
      <Text c="dimmed" fz="xs">
        You get a link to pass on. No e-mail is sent. It works once, within seven days.
      </Text>
    </DialogForm>
  );
}
