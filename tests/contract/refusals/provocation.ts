import type { Operation } from "@diegetic/contracts";
import type { Response } from "supertest";
import type { Call, World } from "./world.fixture.ts";

export interface Provoked {
  answer: Response;
  /** What the example names, and what was issued instead: identifiers alone. */
  issued?: Readonly<Record<string, string>>;
}

/** Brings about one refusal of an operation. */
export type Provocation = (world: World, operation: Operation) => Promise<Response | Provoked>;

/** `400 missing_field` → how to come to read it. */
export type Provocations = Readonly<Record<string, Provocation>>;

/** By the name of the operation. */
export type ProvocationsOfOperations = Readonly<Record<string, Provocations>>;

/** The owner of everything calls with this body, or as the function says. */
export function sent(
  body: unknown,
  more: Omit<Call, "body"> | ((world: World) => Omit<Call, "body">) = {},
): Provocation {
  return async (world, operation) =>
    world.call(operation, { body, ...(typeof more === "function" ? more(world) : more) });
}

/** The owner of everything calls with this query. */
export function withQuery(query: string): Provocation {
  return async (world, operation) => world.call(operation, { query });
}

/** The text repeated, cut to a length. */
export function repeated(text: string, characters: number): string {
  return text.repeat(Math.ceil(characters / text.length)).slice(0, characters);
}

/** A body that the operation takes: its example, if it has one. */
export function bodyOf({ request }: Operation): unknown {
  return request?.example;
}
