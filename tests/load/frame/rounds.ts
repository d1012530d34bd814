/**
 * Measures every subject once per round, one after the other: whatever else the machine does in that time strikes all of
 * them alike. Every second round goes through them backwards, so that none is always measured first.
 */
export async function interleave<Name extends string, Sample>(
  subjects: Record<Name, () => Promise<Sample>>,
  rounds: number,
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(subjects) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      samples[name].push(await subjects[name]());
    }
  }
  return samples;
}
