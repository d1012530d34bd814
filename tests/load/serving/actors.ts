import type { Measured } from "./processes.ts";
import type { Floor, ServedWorld, Stage } from "./stage.ts";

/** Who takes part in the measurements of `/match` and `/impressions`. */
export interface Actors {
  stage: Stage;
  /** B */
  bare: Measured;
  /** R */
  withRedis: Measured;
  /** Where matches are measured. */
  floor?: Floor;
  /** From the smallest to the largest. */
  worlds: ServedWorld[];
  /** The one that most is measured in. */
  usual: ServedWorld;
}
