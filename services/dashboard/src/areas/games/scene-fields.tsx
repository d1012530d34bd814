import { Button, Collapse, Select, SimpleGrid, Stack } from "@mantine/core";
import { useState } from "react";
import type { FieldSentences } from "../../api/use-field-problems.ts";
import { GameIdInput } from "./game-id-input.tsx";
import { sceneInputs } from "./scene-inputs.tsx";
import type { TestedScene } from "./scene-link.ts";

const MORE_FIELDS = ["category", "theme_id", "actions"] as const;

interface SceneFieldsProps {
  chosen: TestedScene;
  /** None yet: the game is added with the first request. */
  games: readonly string[];
  gameProblem: string | undefined;
  problem: FieldSentences<"POST /match">["problem"];
  onChange: (next: Partial<TestedScene>) => void;
}

/** The game and its scene; what few games send is folded away. */
export function SceneFields({ chosen, games, gameProblem, problem, onChange }: SceneFieldsProps) {
  const { game, country, scene } = chosen;
  const inputs = sceneInputs({ tested: chosen, problem, onChange });
  const hasMore = country !== null || MORE_FIELDS.some((field) => (scene[field] ?? "").length > 0);
  const hasProblem =
    problem("player_geo.country_code") !== undefined ||
    MORE_FIELDS.some((field) => problem(`game_context.${field}`) !== undefined);
  const [isOpened, setOpen] = useState(hasMore);
  const isOpen = isOpened || hasProblem;
  const [hadMore, setHadMore] = useState(hasMore);
  // A scene from a link may say more.
  if (hasMore !== hadMore) {
    setHadMore(hasMore);
    if (hasMore) setOpen(true);
  }
  return (
    <Stack>
      {games.length === 0 ? (
        <GameIdInput value={game} error={gameProblem} onChange={(next) => onChange({ game: next })} />
      ) : (
        <Select
          label="Game"
          data={[...games]}
          value={game === "" ? null : game}
          error={gameProblem}
          onChange={(value) => onChange({ game: value ?? "" })}
          allowDeselect={false}
          searchable
          selectFirstOptionOnChange
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {inputs.location}
        {inputs.moods}
      </SimpleGrid>
      {inputs.narrative}
      <div>
        <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Fewer fields" : "More fields"}
        </Button>
        <Collapse expanded={isOpen}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} mt="md">
            {inputs.country}
            {inputs.category}
            {inputs.theme}
            {inputs.actions}
          </SimpleGrid>
        </Collapse>
      </div>
    </Stack>
  );
}
