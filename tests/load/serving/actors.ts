import type { Measured } from "./processes.ts";
import type { Baseline, Floor, ServedWorld, Stage } from "./stage.ts";

/** The measured processes of `/match` and `/impressions`. */
export interface Actors {
  stage: Stage;
  /** B */
  bare: Measured;
  /** R */
  withRedis: Baseline;
  /** F2 */
  fastify: Measured;
  floor: Floor;
  /** Smallest first. */
  worlds: ServedWorld[];
  /** The world of most measurements. */
  usual: ServedWorld;
}
