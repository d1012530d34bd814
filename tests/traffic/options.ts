import { parseArgs } from "node:util";

const MAX_PLAYERS = 2_000;
const MAX_MINUTES = 120;
const MAX_RATE = 2_000;
export const USAGE =
  "Usage: npm run traffic -- [--players N] [--minutes M] [--rate MATCHES_PER_SECOND]   (defaults: 50 players, 2 minutes)";

export interface TrafficOptions {
  players: number;
  minutes: number;
  /** Maximum matches a second. */
  rate: number;
}

/** Throws a sentence that names the option. */
export function readOptions(args: string[]): TrafficOptions {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ args, options: { players: option, minutes: option, rate: option } });
  const players = bounded("--players", values.players ?? "50", 1, MAX_PLAYERS);
  if (!Number.isInteger(players)) throw new Error(`--players must be a whole number. ${USAGE}`);
  return {
    players,
    minutes: bounded("--minutes", values.minutes ?? "2", 0.01, MAX_MINUTES),
    rate: bounded("--rate", values.rate ?? String(MAX_RATE), 0.1, MAX_RATE),
  };
}

function bounded(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= minimum && value <= maximum) return value;
  throw new Error(`${name} must be a number from ${minimum} to ${maximum}, not "${text}". ${USAGE}`);
}
