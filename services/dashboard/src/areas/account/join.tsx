import { Anchor, Button, Skeleton, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, Navigate, useLocation } from "react-router";
import { type ApiError, hasStatus, outcomeOf } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../api/operations.ts";
import { readSessionAfter, sessionQuery, useSessionChange } from "../../api/session.ts";
import { formatMoment } from "../../format/format.ts";
import { notifyFailed } from "../../kit/notify.ts";
import { Empty, Failed } from "../../kit/states.tsx";
import { Entrance } from "./entrance.tsx";
import { yourAbilities } from "./roles.ts";
import type { SignInState } from "./sign-in.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

type Invitation = AnswerOf<"POST /auth/invitation">;

const invitationKey = (token: string) => ["invitation", token];

/**
 * Accepts an invitation. Its token stands behind the #, so that it is never sent with an address; the page Sign in gets it
 * by the state of the history, which is not sent either.
 */
export function Component() {
  const token = useLocation().hash.slice(1);
  const session = useQuery(sessionQuery);
  const changeSession = useSessionChange();
  const client = useQueryClient();
  const [isJoined, setJoined] = useState(false);
  const [isSending, setSending] = useState(false);
  const invitation = useQuery<Invitation, ApiError>({
    queryKey: invitationKey(token),
    queryFn: () => call("POST /auth/invitation", { body: { token } }),
    retry: false,
    enabled: !isJoined && token !== "",
  });
  const endInvitation = () => {
    setJoined(true);
    // The change of session reads everything in view again, and a used invitation is none.
    client.removeQueries({ queryKey: invitationKey(token) });
  };
  if (isJoined && session.data) return <Navigate to="/" replace />;
  if (token === "" || invitation.error || invitation.data === undefined || session.data === undefined) {
    return (
      <Entrance title="Join an account">
        {token === "" ? (
          <>
            <Empty line="This link is cut short.">
              The invitation stands behind the # of its link. Copy the whole link, or ask for it again.
            </Empty>
            <ToOverview />
          </>
        ) : hasStatus(invitation.error, 400, 403, 404, 409, 410, 422) ? (
          <>
            <Failed what="This invitation cannot be used." read={{ error: invitation.error }}>
              An invitation is used once and ends after seven days.
            </Failed>
            <ToOverview />
          </>
        ) : invitation.error ? (
          <Failed what="The invitation could not be loaded." read={invitation} />
        ) : session.data === undefined && session.error ? (
          <Failed what="Your session could not be loaded." read={session} />
        ) : (
          <Skeleton height={120} />
        )}
      </Entrance>
    );
  }
  const { account_label: label, role, expires_at: expiresAt } = invitation.data;
  const accept = async () => {
    setSending(true);
    try {
      const next = await call("POST /invitations/accept", { body: { token } });
      endInvitation();
      changeSession(next);
    } catch (error) {
      const next = await readSessionAfter(error);
      const hasJoined = next?.account.label === label && next.account.id !== session.data?.account.id;
      if (hasJoined) endInvitation();
      else {
        setSending(false);
        notifyFailed("You have not joined.", next ? error : outcomeOf(error), "you have joined");
      }
      if (next) changeSession(next);
    }
  };
  return (
    <Entrance title={`Join ${label}`} about={yourAbilities(role)}>
      {session.data === null ? (
        <>
          <SignUpForm invitationToken={token} onDone={endInvitation} />
          <Text c="dimmed">
            You have an account?{" "}
            <Anchor component={Link} to="/sign-in" state={{ invitation: token } satisfies SignInState}>
              Sign in to accept
            </Anchor>
          </Text>
        </>
      ) : (
        <>
          <Button onClick={() => void accept()} loading={isSending}>
            Join as {session.data.user.name}
          </Button>
          <ToOverview />
        </>
      )}
      <Text c="dimmed" fz="xs">
        The invitation ends on {formatMoment(expiresAt)}.
      </Text>
    </Entrance>
  );
}

function ToOverview() {
  return (
    <Anchor component={Link} to="/" ta="center">
      Go to the overview
    </Anchor>
  );
}
