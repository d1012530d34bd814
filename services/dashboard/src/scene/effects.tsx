import { useId } from "react";
import classes from "./scene.module.css";
import type { Effect } from "./vocabulary.ts";

/** The same scatter each time: a scene looks the same whenever it is drawn. */
function scatter(count: number, seed: number): { x: number; y: number; part: number }[] {
  return Array.from({ length: count }, (_, index) => ({
    x: ((index * 167 + seed * 71) % 960) + ((index * 13) % 7),
    y: (index * 101 + seed * 37) % 540,
    part: (index * 7 + seed) % 10,
  }));
}

interface Drops {
  count: number;
  className: string | undefined;
  draw: (x: number, y: number, part: number) => React.ReactElement;
}

const DROPS: Partial<Record<Effect, Drops>> = {
  rain: {
    count: 70,
    className: classes.rain,
    draw: (x, y, part) => (
      <path
        d={`M${x} ${y}l-8 ${22 + part * 2}`}
        stroke="#DCEAF5"
        strokeWidth="1.6"
        opacity={0.35 + part / 25}
      />
    ),
  },
  snow: {
    count: 60,
    className: classes.snow,
    draw: (x, y, part) => <circle cx={x} cy={y} r={1.5 + part / 4} fill="#fff" opacity={0.55 + part / 25} />,
  },
  embers: {
    count: 34,
    className: classes.rise,
    draw: (x, y, part) => <circle cx={x} cy={y} r={1.2 + part / 5} fill={part % 3 ? "#FFB347" : "#FF7A3D"} />,
  },
  dust: {
    count: 46,
    className: classes.drift,
    draw: (x, y, part) => <circle cx={x} cy={y} r={1 + part / 6} fill="#FBE6BF" opacity={0.3 + part / 30} />,
  },
  stars: {
    count: 60,
    className: classes.twinkle,
    draw: (x, y, part) => (
      <circle cx={x} cy={y * 0.55} r={0.8 + part / 8} fill="#fff" opacity={0.5 + part / 20} />
    ),
  },
  sparkle: {
    count: 26,
    className: classes.twinkle,
    draw: (x, y, part) => (
      <path
        d={`M${x} ${y - 5 - part / 2}l2 5 5 2-5 2-2 5-2-5-5-2 5-2z`}
        fill="#FFF1B8"
        opacity={0.55 + part / 25}
      />
    ),
  },
  leaves: {
    count: 26,
    className: classes.drift,
    draw: (x, y, part) => (
      <path
        d={`M${x} ${y}q8-10 18 0-10 10-18 0z`}
        fill={["#D98A3D", "#B5562B", "#E0B252"][part % 3]}
        transform={`rotate(${part * 36} ${x} ${y})`}
      />
    ),
  },
  confetti: {
    count: 60,
    className: classes.snow,
    draw: (x, y, part) => (
      <rect
        x={x}
        y={y}
        width="8"
        height="5"
        fill={["#F2A65A", "#5BC98C", "#7FB0F2", "#F07B6E"][part % 4]}
        transform={`rotate(${part * 31} ${x} ${y})`}
      />
    ),
  },
};

export function EffectLayer({ effect, seed }: { effect: Effect; seed: number }) {
  const drops = DROPS[effect];
  if (drops !== undefined) {
    // Drawn twice, one height apart, so that the movement has no seam.
    return (
      <g className={drops.className}>
        {[0, -540].map((shift) => (
          <g key={shift} transform={`translate(0 ${shift})`}>
            {scatter(drops.count, seed).map(({ x, y, part }) => (
              <g key={`${x}-${y}`}>{drops.draw(x, y, part)}</g>
            ))}
          </g>
        ))}
      </g>
    );
  }
  if (effect === "lightning") {
    return (
      <g className={classes.flash}>
        <rect width="960" height="540" fill="#DDE9FF" opacity=".3" />
        <path d="M640 0l-70 150h44l-60 140 130-180h-50l56-110z" fill="#F7FBFF" />
      </g>
    );
  }
  return <Fog isSmoke={effect === "smoke"} />;
}

function Fog({ isSmoke }: { isSmoke: boolean }) {
  const blurId = useId();
  return (
    <g className={classes.fog} opacity={isSmoke ? 0.4 : 0.62}>
      <filter id={blurId}>
        <feGaussianBlur stdDeviation="22" />
      </filter>
      {[330, 400, 470].map((y, index) => (
        <ellipse
          key={y}
          cx={260 + index * 220}
          cy={isSmoke ? y - 150 : y}
          rx={isSmoke ? 190 : 420}
          ry={isSmoke ? 90 : 54}
          fill={isSmoke ? "#B9B2AC" : "#E9EEF2"}
          filter={`url(#${blurId})`}
          opacity={0.5}
        />
      ))}
    </g>
  );
}
