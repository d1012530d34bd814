import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, Navigate, useSearchParams } from "react-router";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useRead } from "../../api/queries.ts";
import { sessionQuery, useSessionChange } from "../../api/session.ts";
import { Entrance } from "./entrance.tsx";
import { nextPage } from "./next-page.ts";

export function Component() {
  const [parameters] = useSearchParams();
  const session = useQuery(sessionQuery);
  const changeSession = useSessionChange();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const demo = useRead("GET /demo");

  if (session.data) return <Navigate to={nextPage(parameters.get("next"))} replace />;

  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    setFailure(undefined);
    try {
      changeSession(await call("POST /auth/sign-in", { body: { email, password } }));
    } catch (error) {
      setFailure(error instanceof ApiError ? error.detail : String(error));
      setSending(false);
    }
  };
  return (
    <Entrance title="Sign in">
      <form onSubmit={(event) => void signIn(event)}>
        <Stack>
          {parameters.has("next") && (
            <Text c="dimmed">Your session has ended. After signing in you return to where you were.</Text>
          )}
          {failure && (
            <Alert color="negative" role="alert">
              {failure}
            </Alert>
          )}
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            required
            withAsterisk={false}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            required
            withAsterisk={false}
          />
          <Button type="submit" loading={isSending} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
      <Text c="dimmed">
        New here?{" "}
        <Anchor component={Link} to={`/sign-up?${parameters}`}>
          Create an account
        </Anchor>
      </Text>
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
