import { Select, Textarea, TextInput } from "@mantine/core";
import { type NestedField, requestSchema } from "../../api/use-field-problems.ts";
import { WordsInput } from "../../kit/words-input.tsx";
import { countryOptions } from "../../map/countries-list.ts";
import type { GameContext, TestedScene } from "./scene-link.ts";

const SCENE = requestSchema("POST /match").properties?.game_context?.properties;

interface SceneInputsOptions {
  tested: TestedScene;
  /** The sentence at a field of the request. */
  problem: (field: NestedField) => string | undefined;
  onChange: (change: Partial<TestedScene>) => void;
}

/** The inputs that describe a scene as a game sends it, for a page to lay out. */
export function sceneInputs({ tested, problem, onChange }: SceneInputsOptions) {
  const { country, scene } = tested;
  const setField = (field: keyof GameContext, value: string | string[]) =>
    onChange({ scene: { ...scene, [field]: value.length === 0 ? undefined : value } });
  const text = (field: "location" | "category" | "theme_id" | "narrative") => ({
    value: scene[field] ?? "",
    error: problem(`game_context.${field}`),
    maxLength: SCENE?.[field]?.maxLength,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setField(field, currentTarget.value),
  });
  const words = (field: "mood_tags" | "actions", example: string) => ({
    value: [...(scene[field] ?? [])],
    placeholder: scene[field]?.length ? "" : example,
    error: problem(`game_context.${field}`),
    onChange: (value: string[]) => setField(field, value),
  });
  return {
    country: (
      <Select
        label="Country of the player"
        data={[...countryOptions]}
        searchable
        selectFirstOptionOnChange
        clearable
        placeholder="Unknown"
        value={country}
        error={problem("player_geo.country_code")}
        onChange={(value) => onChange({ country: value })}
      />
    ),
    location: <TextInput label="Location" placeholder="e.g. tavern" {...text("location")} />,
    category: <TextInput label="Category" placeholder="e.g. fantasy" {...text("category")} />,
    theme: <TextInput label="Theme" placeholder="e.g. medieval" {...text("theme_id")} />,
    moods: <WordsInput label="Moods" {...words("mood_tags", "e.g. calm")} />,
    actions: <WordsInput label="Actions" {...words("actions", "e.g. drink")} />,
    narrative: (
      <Textarea
        label="Text of the scene"
        placeholder="e.g. Rain drums on the roof of the tavern while the party plans its next move."
        autosize
        minRows={3}
        {...text("narrative")}
      />
    ),
  };
}
