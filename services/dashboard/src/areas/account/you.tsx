import { Alert, Badge, Button, Card, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../api/call.ts";
import { useRead } from "../../api/queries.ts";
import { useSession, useSessionChange } from "../../api/session.ts";
import { useFieldProblems } from "../../api/use-field-problems.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { notifyDone, notifyFailed } from "../../kit/notify.ts";
import { Page, Section } from "../../kit/page.tsx";
import { PasswordInput } from "../../kit/password-input.tsx";
import { Empty } from "../../kit/states.tsx";
import { usePending } from "../../kit/use-pending.ts";
import { browserOf } from "./browser-of.ts";
import { checkPassword, PASSWORD_HELP } from "./password.ts";

export function Component() {
  const { user } = useSession();
  return (
    <Page title="You and sign-in" about={user.email}>
      <Group align="stretch" grow preventGrowOverflow={false} wrap="wrap">
        <NameForm />
        <PasswordForm />
      </Group>
      <Sessions />
    </Page>
  );
}

function NameForm() {
  const { user } = useSession();
  const changeSession = useSessionChange();
  const [name, setName] = useState(user.name);
  const { problem, failure, clear, check, showRefusal } = useFieldProblems("PATCH /user");
  const [isSending, setSending] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!check({ name })) return;
    setSending(true);
    try {
      changeSession(await call("PATCH /user", { body: { name } }));
      notifyDone("Your name was changed.");
    } catch (error) {
      showRefusal(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <Card miw={280} component="section" aria-label="Your name">
      <form onSubmit={(event) => void save(event)} noValidate>
        <Stack>
          <TextInput
            label="Your name"
            description="Other members of your accounts see it."
            autoComplete="name"
            value={name}
            onChange={({ currentTarget }) => {
              setName(currentTarget.value);
              clear("name");
            }}
            error={problem("name") ?? failure}
            maxLength={200}
          />
          <Group>
            <Button type="submit" variant="default" loading={isSending} disabled={name === user.name}>
              Change name
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

function PasswordForm() {
  const client = useQueryClient();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { problem, failure, clear, check, showRefusal } = useFieldProblems("POST /auth/change-password");
  const [isSending, setSending] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const body = { current_password: current, new_password: next };
    if (!check(body, { new_password: checkPassword(next) })) return;
    setSending(true);
    try {
      await call("POST /auth/change-password", { body });
      setCurrent("");
      setNext("");
      notifyDone("The password was changed, and your other sessions were ended.");
      await client.invalidateQueries({ queryKey: ["GET /auth/sessions"] });
    } catch (error) {
      showRefusal(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <Card miw={280} component="section" aria-label="Password">
      <form onSubmit={(event) => void save(event)} noValidate>
        <Stack>
          {failure && <Alert color="negative">{failure}</Alert>}
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            value={current}
            onChange={({ currentTarget }) => {
              setCurrent(currentTarget.value);
              clear("current_password");
            }}
            error={problem("current_password")}
          />
          <PasswordInput
            label="New password"
            description={PASSWORD_HELP}
            autoComplete="new-password"
            value={next}
            onChange={({ currentTarget }) => {
              setNext(currentTarget.value);
              clear("new_password");
            }}
            error={problem("new_password")}
          />
          <Group>
            <Button type="submit" variant="default" loading={isSending}>
              Change password
            </Button>
            <Text c="dimmed" fz="xs">
              Ends your sessions in other browsers.
            </Text>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

const OTHERS = "others";

function Sessions() {
  const client = useQueryClient();
  const confirm = useConfirm();
  const sessions = useRead("GET /auth/sessions");
  const { isPending, whilePending } = usePending();
  const end = async (id: string, work: () => Promise<unknown>, done: string) => {
    try {
      await whilePending(id, work);
      notifyDone(done);
    } catch (error) {
      notifyFailed("The session was not ended.", error);
    }
    await client.invalidateQueries({ queryKey: ["GET /auth/sessions"] });
  };
  const endOthers = async () => {
    const isAgreed = await confirm({
      title: "End all other sessions",
      consequences: ["Every other browser that is signed in as you has to sign in again."],
      action: "End other sessions",
    });
    if (!isAgreed) return;
    await end(OTHERS, () => call("POST /auth/end-other-sessions"), "All other sessions were ended.");
  };
  const hasOthers = sessions.data?.some(({ current }) => !current) ?? false;
  return (
    <Section
      title="Sessions"
      about="The browsers in which you are signed in. End one that you do not recognise, then change your password."
      actions={
        <Button
          variant="default"
          onClick={() => void endOthers()}
          disabled={!hasOthers}
          loading={isPending(OTHERS)}
        >
          End other sessions
        </Button>
      }
    >
      <DataTable
        label="Sessions"
        isPlain
        rows={sessions.data}
        rowKey={({ id }) => id}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        empty={<Empty line="Nobody is here.">Sessions appear when somebody signs in.</Empty>}
        skeletonRows={2}
        columns={(make) => [
          {
            key: "browser",
            header: "Browser",
            phone: "title",
            value: ({ user_agent: agent }) => browserOf(agent),
            cell: ({ user_agent: agent, current }) => (
              <Group gap="xs">
                {browserOf(agent)}
                {current && (
                  <Badge variant="outline" color="positive" tt="none">
                    This browser
                  </Badge>
                )}
              </Group>
            ),
          },
          {
            key: "address",
            header: "Address",
            phone: "fact",
            value: ({ client_address: address }) => address,
            cell: ({ client_address: address }) => address ?? "Unknown",
          },
          make.moment("created", "Signed in", ({ created_at: at }) => at, { phone: "fact" }),
          {
            key: "end",
            header: "",
            align: "right",
            cell: ({ id, current, user_agent: agent }) =>
              current ? null : (
                <Button
                  variant="subtle"
                  color="negative"
                  size="compact-sm"
                  loading={isPending(id)}
                  aria-label={`End session in ${browserOf(agent)}`}
                  onClick={() =>
                    void end(
                      id,
                      () => call("DELETE /auth/sessions/{session_id}", { path: { session_id: id } }),
                      "The session was ended.",
                    )
                  }
                >
                  End session
                </Button>
              ),
          },
        ]}
      />
    </Section>
  );
}
