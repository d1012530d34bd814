import { setTimeout as sleep } from "node:timers/promises";
import { type Comparison, differs, nameOf } from "./comparison.ts";

/** Result of one read. */
export interface Look {
  comparisons: Comparison[];
  /** Owners with something that could not be compared, because it kept changing or is too large. */
  notCompared: string[];
}

/** A bounded part of the reconciliation that is read at once. */
export interface Inspection {
  name: string;
  /** @param owners read only these; undefined: the whole part */
  look(owners?: ReadonlySet<string>): Promise<Look>;
}

export interface Inspected extends Look {
  /** What differed in every read. */
  findings: Comparison[];
}

/**
 * Reads once, then reads again what differs: the stores are read one after the other, so an impression in transit seems
 * missing. Only what differs every time is a finding.
 * @param pausesMs before each repeated read
 */
export async function inspect(
  inspection: Inspection,
  pausesMs: readonly number[],
  signal?: AbortSignal,
): Promise<Inspected> {
  const first = await inspection.look();
  const latest = new Map(first.comparisons.map((comparison) => [nameOf(comparison), comparison]));
  let notCompared = first.notCompared;
  let suspects = first.comparisons.filter(differs);
  for (const pauseMs of pausesMs) {
    if (suspects.length === 0 && notCompared.length === 0) break;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal?.aborted) break;
    const owners = new Set([...suspects.map(({ owner }) => owner), ...notCompared]);
    const again = await inspection.look(owners.has("") ? undefined : owners);
    for (const suspect of suspects) latest.delete(nameOf(suspect));
    for (const comparison of again.comparisons) latest.set(nameOf(comparison), comparison);
    const stillDiffer = new Map(
      again.comparisons.filter(differs).map((comparison) => [nameOf(comparison), comparison]),
    );
    // What could not be compared before has to be read again.
    const unseen = new Set(notCompared);
    const names = new Set(suspects.map(nameOf));
    suspects = [...stillDiffer.values()].filter(
      (comparison) => names.has(nameOf(comparison)) || unseen.has(comparison.owner),
    );
    notCompared = again.notCompared;
  }
  return { comparisons: [...latest.values()], findings: suspects, notCompared };
}
