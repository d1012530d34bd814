import type { AnswerOf, BodyOf } from "../../api/operations.ts";
import { formatTerm } from "../../format/format.ts";

export type GameContext = BodyOf<"POST /match">["game_context"];
export type NoMatchScene = AnswerOf<"GET /no-match-scenes">[number];

/** What the match tester is given to begin with. */
export interface TestedScene {
  game: string;
  country: string | null;
  scene: GameContext;
}

const TEXTS = ["location", "category", "theme_id", "narrative"] as const;
const LISTS = ["mood_tags", "actions"] as const;

/** The parts of a scene that its forms have fields for, as the API names them. */
export const SCENE_FIELDS = [
  "player_geo.country_code",
  ...[...TEXTS, ...LISTS].map((field) => `game_context.${field}` as const),
] as const;

/** The match tester with this scene; everything is in the address, so that a link shows the same. */
export function testerPath({ game_id, country_code, game_context }: NoMatchScene): string {
  return `/match-tester?${sceneParameters({ game: game_id, country: country_code, scene: game_context })}`;
}

/** The match tester with this game, and a scene that is still to be described. */
export function testerPathOf(gameId: string): string {
  return `/match-tester?${sceneParameters({ game: gameId, country: null, scene: {} })}`;
}

/**
 * The newest of each scene: a game asks for the same one again and again.
 * @param keyOf the same for scenes of which one is enough
 */
export function distinctScenes(
  newestFirst: readonly NoMatchScene[],
  keyOf: (scene: NoMatchScene) => string = testerPath,
): NoMatchScene[] {
  const newest = new Map<string, NoMatchScene>();
  for (const scene of newestFirst) {
    const key = keyOf(scene);
    if (!newest.has(key)) newest.set(key, scene);
  }
  return [...newest.values()];
}

/** Tells listed scenes apart, with the reason: the same scene may get no ad for another one. */
export function sceneAndReason(scene: NoMatchScene): string {
  return `${scene.reason} ${testerPath(scene)}`;
}

export function sceneParameters({ game, country, scene }: TestedScene): URLSearchParams {
  const parameters = new URLSearchParams();
  if (game !== "") parameters.set("game", game);
  if (country !== null) parameters.set("country", country);
  for (const field of TEXTS) {
    const text = scene[field];
    if (typeof text === "string" && text !== "") parameters.set(field, text);
  }
  for (const field of LISTS) {
    for (const word of scene[field] ?? []) parameters.append(field, word);
  }
  return parameters;
}

export function sceneOf(parameters: URLSearchParams): TestedScene {
  const scene: GameContext = {};
  for (const field of TEXTS) {
    const text = parameters.get(field);
    if (text !== null) scene[field] = text;
  }
  for (const field of LISTS) {
    const words = parameters.getAll(field);
    if (words.length > 0) scene[field] = words;
  }
  return { game: parameters.get("game") ?? "", country: parameters.get("country"), scene };
}

/** A scene in one line: "Tavern · calm · drink". */
export function sceneSummary(scene: GameContext): string {
  const words = [
    scene.location,
    scene.theme_id,
    scene.category,
    ...(scene.mood_tags ?? []),
    ...(scene.actions ?? []),
  ];
  const named = words.filter((word) => typeof word === "string" && word !== "");
  return named.length === 0 ? "A scene that names nothing" : formatTerm(named.join(" · "));
}
