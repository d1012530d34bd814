import { setTimeout as sleep } from "node:timers/promises";
import { type Comparison, differs, nameOf } from "./comparison.ts";

/** What one look found. */
export interface Look {
  comparisons: Comparison[];
  /** Owners of whom something could not be compared, because it was moving or is too large. */
  notCompared: string[];
}

/** A bounded part of the books that is looked at in one go. */
export interface Inspection {
  name: string;
  /** @param owners look only at these again; undefined: at all of the part */
  look(owners?: ReadonlySet<string>): Promise<Look>;
}

export interface Inspected extends Look {
  /** What differed in every look. */
  findings: Comparison[];
}

/**
 * Looks, and looks again at what differs: stores are read one after the other, so that what is on its way between
 * them seems missing. What differs every time is a finding.
 * @param pausesMs before each further look
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
    // What could not be compared before is a suspect from now on.
    const unseen = new Set(notCompared);
    const names = new Set(suspects.map(nameOf));
    suspects = [...stillDiffer.values()].filter(
      (comparison) => names.has(nameOf(comparison)) || unseen.has(comparison.owner),
    );
    notCompared = again.notCompared;
  }
  return { comparisons: [...latest.values()], findings: suspects, notCompared };
}
