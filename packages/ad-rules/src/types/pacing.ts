export type { PacingStatus } from "@diegetic/contracts";
