import { Anchor, Input, SegmentedControl, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Link, Navigate, useSearchParams } from "react-router";
import { sessionQuery } from "../../api/session.ts";
import { valuesOf } from "../../kit/options.ts";
import { useUrlChoice } from "../../kit/use-url-state.ts";
import { Entrance } from "./entrance.tsx";
import { nextPage } from "./next-page.ts";
import { SignUpForm } from "./sign-up-form.tsx";

/** What people come for, and where that begins. */
const GOALS = [
  { value: "advertise", label: "Advertise", path: "/" },
  { value: "games", label: "Show ads in my game", path: "/match-tester" },
] as const;

export function Component() {
  const [parameters] = useSearchParams();
  const session = useQuery(sessionQuery);
  const [goal, setGoal] = useUrlChoice("goal", valuesOf(GOALS), GOALS[0].value);
  const labelId = useId();
  const next = parameters.get("next");
  const page = next ?? GOALS.find(({ value }) => value === goal)?.path ?? null;
  return (
    <Entrance title="Create an account" about="One account can advertise and show ads in games.">
      {/* The form stays until the page is loaded. */}
      {session.data && <Navigate to={nextPage(page)} replace />}
      <SignUpForm>
        {next === null && (
          <div>
            <Input.Label labelElement="div" id={labelId}>
              I want to
            </Input.Label>
            <SegmentedControl
              aria-labelledby={labelId}
              data={GOALS.map(({ value, label }) => ({ value, label }))}
              value={goal}
              onChange={setGoal}
              fullWidth
            />
          </div>
        )}
      </SignUpForm>
      <Text c="dimmed">
        You have an account?{" "}
        <Anchor component={Link} to={`/sign-in?${parameters}`}>
          Sign in
        </Anchor>
      </Text>
    </Entrance>
  );
}
