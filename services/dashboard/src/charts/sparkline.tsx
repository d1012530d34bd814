interface SparklineProps {
  values: readonly number[];
  /** What a screen reader says: "Spend of the last 14 days". */
  label: string;
}

const WIDTH = 96;
const HEIGHT = 24;

/** The shape of some days, without axes; zero is the baseline. */
export function Sparkline({ values, label }: SparklineProps) {
  const largest = Math.max(...values, 0);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    const height = largest === 0 ? 0 : (value / largest) * (HEIGHT - 4);
    return `${(index * step).toFixed(1)},${(HEIGHT - 2 - height).toFixed(1)}`;
  });
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <line x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} stroke="var(--line)" />
      <polyline points={points.join(" ")} fill="none" stroke="var(--ember)" strokeWidth="1.5" />
    </svg>
  );
}
