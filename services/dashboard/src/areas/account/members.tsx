import { Button, Checkbox, Loader, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hasStatus } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { callToChange } from "../../api/call-to-change.ts";
import type { AnswerOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { type Role, readSessionAnew, useAbility, useSession, useSessionChange } from "../../api/session.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { LongName } from "../../kit/long-name.tsx";
import { notifyDone, notifyFailed } from "../../kit/notify.ts";
import { labelOf } from "../../kit/options.ts";
import { Page } from "../../kit/page.tsx";
import { RowAction } from "../../kit/row-actions.tsx";
import { Empty } from "../../kit/states.tsx";
import { usePending } from "../../kit/use-pending.ts";
import { Invitations, InviteDialog } from "./invitations.tsx";
import { abilitiesOf, ROLES, yourAbilities } from "./roles.ts";

type Member = AnswerOf<"GET /members">[number];

/** Labels of the keys that a member has made for this account. */
async function keysMadeBy(userId: string): Promise<string[]> {
  const keys = await call("GET /api-keys");
  return keys.filter(({ created_by_user_id: by }) => by === userId).map(({ label }) => label);
}

export function Component() {
  const session = useSession();
  const { canAdminister } = useAbility();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <Page
      title="Members"
      about={`Who works in the account ${session.account.label}. ${yourAbilities(session.role)}`}
      actions={canAdminister && <Button onClick={open}>Invite member</Button>}
    >
      <Members />
      <Invitations />
      <InviteDialog isOpen={isOpen} onClose={close} />
    </Page>
  );
}

function Members() {
  const session = useSession();
  const changeSession = useSessionChange();
  const { canAdminister } = useAbility();
  const client = useQueryClient();
  const confirm = useConfirm();
  const members = useRead("GET /members");
  const owners = members.data?.filter(({ role }) => role === "owner").length;
  /** Whom the account cannot lose: nobody else could administer it. */
  const isLastOwner = ({ role }: Member) => role === "owner" && owners === 1;
  const { isPending, whilePending } = usePending();
  /** The change is made already: that its consequence cannot be read must not look like its failure. */
  const readOwnSession = async () => {
    try {
      changeSession(await readSessionAnew());
    } catch (error) {
      // Without a session the sign-in page is shown.
      if (!hasStatus(error, 401)) notifyFailed("This page is out of date. Reload it.", error);
    }
  };
  /** Whose role is being changed. */
  const [changingId, setChangingId] = useState<string>();
  const changeRole = async ({ user_id: id, name }: Member, role: Role) => {
    const isSelf = id === session.user.id;
    if (isSelf) {
      const isAgreed = await confirm({
        title: "Give up your role as owner",
        consequences: [yourAbilities(role), "Only another owner can make you an owner again."],
        action: `Become ${role}`,
        isDestructive: true,
      });
      if (!isAgreed) return;
    } else if (role === "owner") {
      const isAgreed = await confirm({
        title: `Make ${name} an owner`,
        consequences: [abilitiesOf(role), `${name} can then change your own role, too.`],
        action: "Make owner",
      });
      if (!isAgreed) return;
    }
    setChangingId(id);
    try {
      await callToChange("PATCH /members/{user_id}", { path: { user_id: id }, body: { role } });
      notifyDone(`${name} is ${role} now.`);
      if (isSelf) await readOwnSession();
    } catch (error) {
      notifyFailed("The role was not changed.", error, `${name} is ${role} now`);
    }
    await client.invalidateQueries({ queryKey: ["GET /members"] });
    setChangingId(undefined);
  };
  const remove = async ({ user_id: id, name }: Member) => {
    const isSelf = id === session.user.id;
    const keys = canAdminister ? await keysMadeBy(id).catch(() => undefined) : [];
    if (keys === undefined) {
      notifyFailed("Nobody was removed.", "The API keys could not be read. Try again.");
      return;
    }
    let revokesKeys = keys.length > 0;
    const isAgreed = await confirm({
      title: isSelf ? "Leave the account" : `Remove ${name}`,
      consequences: [
        isSelf
          ? "You lose access at once. An owner can invite you again."
          : `${name} loses access at once. Nothing that they made is deleted.`,
        ...(keys.length === 0
          ? []
          : [
              <Checkbox
                key="keys"
                defaultChecked
                onChange={({ currentTarget }) => {
                  revokesKeys = currentTarget.checked;
                }}
                label={`Revoke the API keys that ${isSelf ? "you" : "they"} made: ${keys.join(", ")}`}
                description="Whatever still uses them stops at once. A key that stays works for whoever knows it."
              />,
            ]),
      ],
      action: isSelf ? "Leave account" : "Remove member",
      isDestructive: true,
    });
    if (!isAgreed) return;
    await whilePending(id, async () => {
      try {
        await callToChange("DELETE /members/{user_id}", {
          path: { user_id: id },
          ...(revokesKeys && { query: { revoke_keys: true } }),
        }).catch((error) => {
          // Somebody else has removed them meanwhile.
          if (!hasStatus(error, 404)) throw error;
        });
        if (isSelf) await readOwnSession();
        notifyDone(isSelf ? "You left the account." : `${name} is removed.`);
      } catch (error) {
        notifyFailed("Nobody was removed.", error, isSelf ? "you left the account" : `${name} was removed`);
      }
      await client.invalidateQueries({ queryKey: ["GET /members"] });
    });
  };
  return (
    <DataTable
      label="Members"
      isPlain
      rows={members.data}
      rowKey={({ user_id: id }) => id}
      read={members}
      empty={<Empty line="Nobody is here.">Members appear when they are invited.</Empty>}
      skeletonRows={2}
      columns={(make) => [
        make.text("name", "Name", ({ name }) => name, {
          phone: "title",
          cell: ({ name, user_id: id }) => (
            <LongName>{id === session.user.id ? `${name} (you)` : name}</LongName>
          ),
        }),
        make.text("role", "Role", ({ role }) => labelOf(ROLES, role), {
          phone: "fact",
          cell: (member) =>
            canAdminister ? (
              <Select
                aria-label={`Role of ${member.name}`}
                data={ROLES}
                value={member.role}
                allowDeselect={false}
                size="xs"
                w={isLastOwner(member) ? 200 : 128}
                maw="100%"
                disabled={isLastOwner(member) || changingId !== undefined}
                data-busy={changingId !== undefined}
                {...(changingId === member.user_id && { rightSection: <Loader size="xs" /> })}
                {...(isLastOwner(member) && { description: "Make another member an owner to change this." })}
                inputWrapperOrder={["label", "input", "description"]}
                onChange={(role) => {
                  if (role !== member.role) void changeRole(member, role as Role);
                }}
              />
            ) : (
              labelOf(ROLES, member.role)
            ),
        }),
        make.text("email", "E-mail", ({ email }) => email, {
          cell: ({ email }) => <LongName isAside>{email}</LongName>,
        }),
        make.moment("joined", "Joined", ({ joined_at: at }) => at, { phone: "fact" }),
        make.actions((member) => {
          const isSelf = member.user_id === session.user.id;
          return (canAdminister || isSelf) && !isLastOwner(member) ? (
            <RowAction
              label={isSelf ? "Leave" : "Remove"}
              name={isSelf ? "the account" : member.name}
              run={() => void remove(member)}
              isPending={isPending(member.user_id)}
              isDestructive
            />
          ) : null;
        }),
      ]}
    />
  );
}
