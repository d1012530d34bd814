import { useAbility } from "../../api/session.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { testerPathOf } from "./scene-link.ts";

/** What to do where a game has nothing to show yet: ask for an ad in it, which viewers cannot. */
export function TestScene({ game }: { game: string }) {
  const { canChange } = useAbility();
  if (!canChange) return null;
  return (
    <ButtonLink to={testerPathOf(game)} variant="default">
      Test a scene
    </ButtonLink>
  );
}
