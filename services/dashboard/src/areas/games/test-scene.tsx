import { ButtonLink } from "../../kit/button-link.tsx";
import { sceneParameters } from "./scene-link.ts";

/** What to do where a game has nothing to show yet: ask for an ad in it. */
export function TestScene({ game }: { game: string }) {
  return (
    <ButtonLink to={`/match-tester?${sceneParameters({ game, country: null, scene: {} })}`} variant="default">
      Test a scene
    </ButtonLink>
  );
}
