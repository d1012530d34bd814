import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useSearchParams } from "react-router";
import { sessionQuery } from "../../api/session.ts";
import { Entrance } from "./entrance.tsx";
import { nextPage } from "./next-page.ts";
import { SignUpForm } from "./sign-up-form.tsx";

export function Component() {
  const [parameters] = useSearchParams();
  const session = useQuery(sessionQuery);
  if (session.data) return <Navigate to={nextPage(parameters.get("next"))} replace />;
  return (
    <Entrance
      title="Create an account"
      about="For advertisers and game developers alike: one account can be both."
    >
      <SignUpForm />
      <Text c="dimmed">
        You have an account?{" "}
        <Anchor component={Link} to={`/sign-in?${parameters}`}>
          Sign in
        </Anchor>
      </Text>
    </Entrance>
  );
}
