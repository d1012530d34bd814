import { cpus, loadavg, totalmem } from "node:os";

/** Where and when it was measured: compare results of two machines only by their ratios. */
export interface Machine {
  node: string;
  cpu: string;
  cores: number;
  memory_gb: number;
  started_at: string;
  /** Over one minute, before and after: above 1 at the start, something else was running. */
  load_average: number[];
}

export function describeMachine(): Machine {
  return {
    node: process.version,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    started_at: new Date().toISOString(),
    load_average: [currentLoad()],
  };
}

export function currentLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}
