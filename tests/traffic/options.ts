import { integerSetting, numberSetting, optionsOfProcess } from "@diegetic/service-kit";

const USAGE =
  "Usage: npm run traffic -- [--players N] [--minutes M] [--rate MATCHES_PER_SECOND]   (defaults: 50 players, 2 minutes)";

export interface TrafficOptions {
  players: number;
  minutes: number;
  /** Maximum matches a second. */
  rate: number;
}

/** Exits after `--help`, and with a sentence for wrong usage. */
export function readTrafficOptions(): TrafficOptions {
  return optionsOfProcess(
    {
      players: integerSetting("--players", { min: 1, max: 2_000, fallback: 50 }),
      minutes: numberSetting("--minutes", { min: 0.01, max: 120, fallback: 2 }),
      rate: numberSetting("--rate", { min: 0.1, max: 2_000, fallback: 2_000 }),
    },
    USAGE,
  );
}
