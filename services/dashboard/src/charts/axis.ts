/** Steps between gridlines, times a power of ten. */
const NICE_STEPS = [1, 2, 2.5, 5, 10];
const MAX_INTERVALS = 4;

/** The values at the gridlines of an axis from 0: round, evenly spaced, the last one at least the largest value. */
export function axisTicks(largest: number, smallestStep: number): number[] {
  const ideal = Math.max(largest / MAX_INTERVALS, smallestStep);
  const power = 10 ** Math.floor(Math.log10(ideal));
  const isAllowed = (step: number) =>
    step >= ideal * (1 - Number.EPSILON) && isWholeTimes(step, smallestStep);
  const step = NICE_STEPS.map((nice) => nice * power).find(isAllowed) ?? 10 * power;
  const intervals = Math.max(1, Math.ceil(largest / step - 1e-9));
  return Array.from({ length: intervals + 1 }, (_, index) => index * step);
}

function isWholeTimes(value: number, unit: number): boolean {
  const times = value / unit;
  return Math.abs(times - Math.round(times)) < 1e-9;
}
