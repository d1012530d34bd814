export interface Patch {
  file: string;
  search: string;
  replacement: string;
}

export const SAFEGUARDS: Record<
  string,
  { what: string; faults: string[]; noticedBy: string; patches: Patch[] }
>;

export const REDIS_CLOCK: Patch;
export const RESTORE_GATE: Patch;

export function replaceOnce(text: string, patch: Patch): string;
