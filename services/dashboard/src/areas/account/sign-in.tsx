import { Alert, Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useLocation, useSearchParams } from "react-router";
import { useRead } from "../../api/queries.ts";
import { sessionQuery, useSessionChange } from "../../api/session.ts";
import { useSecretForm } from "../../api/use-secret-form.ts";
import { Form } from "../../kit/form.tsx";
import { PasswordInput } from "../../kit/password-input.tsx";
import { Entrance } from "./entrance.tsx";
import { nextPage } from "./next-page.ts";

/** What other pages pass on by the state of the history. */
export interface SignInState {
  /** A session has ended, rather than that nobody was signed in. */
  hasEnded?: boolean;
  /** The token of an invitation that is accepted next. */
  invitation?: string;
}

const NOTHING = { email: "", password: "" };

export function Component() {
  const [parameters] = useSearchParams();
  const { hasEnded = false, invitation } = (useLocation().state ?? {}) as SignInState;
  const join = invitation === undefined ? undefined : `/join#${invitation}`;
  const next = parameters.get("next");
  const session = useQuery(sessionQuery);
  const changeSession = useSessionChange();
  const { values, field, send, failure, isSending } = useSecretForm("POST /auth/sign-in", NOTHING);
  const demo = useRead("GET /demo");

  const signIn = async () => {
    const sent = await send(values);
    if (sent !== undefined) changeSession(sent.answer);
  };
  return (
    <Entrance title="Sign in">
      {/* The form stays until the page is loaded. */}
      {session.data && <Navigate to={join ?? nextPage(next)} replace />}
      <Form onSend={signIn}>
        <Stack>
          {hasEnded && (
            <Text c="dimmed">
              Your session has ended.{next !== null && " After signing in you return to where you were."}
            </Text>
          )}
          {failure && <Alert color="negative">{failure}</Alert>}
          <TextInput label="E-mail" type="email" autoComplete="username" {...field("email")} />
          <PasswordInput label="Password" autoComplete="current-password" {...field("password")} />
          <Button type="submit" loading={isSending} fullWidth>
            Sign in
          </Button>
        </Stack>
      </Form>
      <Text c="dimmed">
        New here?{" "}
        <Anchor component={Link} to={join ?? `/sign-up?${parameters}`}>
          Create an account
        </Anchor>
      </Text>
      <Text c="dimmed">Forgot your password? The operator of this installation can set a new one.</Text>
      {demo.data !== undefined && (
        <Text c="dimmed">
          Only looking?{" "}
          <Anchor component={Link} to="/play">
            Play the demo game
          </Anchor>
        </Text>
      )}
    </Entrance>
  );
}
