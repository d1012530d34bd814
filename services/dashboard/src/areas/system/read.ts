import type { AnswerOf } from "../../api/operations.ts";

export type System = AnswerOf<"GET /system">;

/** How often the page asks for the state anew. */
export const REFETCH_MS = 10_000;
