import { Button } from "@mantine/core";
import { Link } from "react-router";
import { sceneParameters } from "./scene-link.ts";

/** What to do where a game has nothing to show yet: ask for an ad in it. */
export function TestScene({ game }: { game: string }) {
  return (
    <Button
      component={Link}
      to={`/match-tester?${sceneParameters({ game, country: null, scene: {} })}`}
      variant="default"
    >
      Test a scene
    </Button>
  );
}
