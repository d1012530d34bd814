/**
 * Measures every subject once per round, so that disturbances of the machine affect all alike. Every second round runs
 * backwards, so that no subject is always first.
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
