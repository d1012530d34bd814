import type { Suite } from "./frame/suite.ts";

/** Everything that `npm run bench` measures, in this order. */
export const suites: readonly Suite[] = [];
