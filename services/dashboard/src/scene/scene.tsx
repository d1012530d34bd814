import { Badge, Group } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { formatTerm } from "../format/format.ts";
import { EffectLayer } from "./effects.tsx";
import { paletteOf } from "./palette.ts";
import { isIndoors, PlaceLayer } from "./places.tsx";
import classes from "./scene.module.css";
import { type Camera, type Mood, type Pipeline, type Staging, stage } from "./vocabulary.ts";

interface SceneProps {
  /** The overrides of a match or a simulation: `biased_pipeline`. */
  pipeline: Pipeline;
  /** Where the scene takes place when the pipeline names no location. */
  place?: string;
  /** The text is about `place`: the stage stays there, whatever location the pipeline names. */
  staysInPlace?: boolean;
  /** The text below the stage; see Story. */
  children?: ReactNode;
  /** Shows every override as a chip, for tools; else only those that the stage does not show. */
  hasChips?: boolean;
}

const FRAMINGS: Record<Camera, string> = {
  close: "translate(-380 -250) scale(1.75)",
  wide: "translate(48 40) scale(.9)",
  low: "translate(-96 -130) scale(1.2 1.28)",
  high: "translate(-60 60) scale(1.12 .86)",
  tilted: "rotate(-5 480 270) translate(-48 -27) scale(1.1)",
  shoulder: "translate(-120 -60) scale(1.2)",
  moving: "translate(-48 -27) scale(1.1)",
};

const WASHES: Record<Mood, { colour: string; strength: number; vignette: number }> = {
  tense: { colour: "#7A1020", strength: 0.3, vignette: 0.75 },
  hopeful: { colour: "#FFD27A", strength: 0.22, vignette: 0.15 },
  dramatic: { colour: "#2A1030", strength: 0.22, vignette: 0.85 },
  calm: { colour: "#7FB0D8", strength: 0.16, vignette: 0.2 },
  chaotic: { colour: "#D9481C", strength: 0.28, vignette: 0.5 },
  mysterious: { colour: "#4B2F8F", strength: 0.34, vignette: 0.65 },
  humorous: { colour: "#FFB84D", strength: 0.18, vignette: 0.1 },
  melancholic: { colour: "#4A6078", strength: 0.42, vignette: 0.5 },
};

/** One stage in layers: place, light, weather and effects, camera framing, the colour of the mood; the text below it. */
export function Scene({ pipeline, place, staysInPlace, children, hasChips = false }: SceneProps) {
  const staging = stage(pipeline, place, { staysInPlace });
  return (
    <figure className={classes.scene}>
      <Stage staging={staging} />
      {children && <figcaption className={classes.text}>{children}</figcaption>}
      <Chips overrides={staging.overrides.filter(({ isShown }) => hasChips || !isShown)} />
    </figure>
  );
}

function Stage({ staging }: { staging: Staging }) {
  const id = useId();
  const { place, light, camera, mood } = staging;
  const palette = paletteOf(place, light);
  const wash = mood === undefined ? undefined : WASHES[mood];
  const effects = staging.effects.filter(
    (effect) => !(isIndoors(place) && ["rain", "snow", "lightning", "stars"].includes(effect)),
  );
  const isBehindWindow = effects.length < staging.effects.length;
  return (
    <svg
      viewBox="0 0 960 540"
      className={classes.stage}
      role="img"
      aria-label={describe(staging)}
      preserveAspectRatio="xMidYMid slice"
    >
      <defs>
        <linearGradient id={`${id}-sky`} x2="0" y2="1">
          <stop offset="0" stopColor={palette.skyTop} />
          <stop offset=".75" stopColor={palette.skyLow} />
        </linearGradient>
        <radialGradient id={`${id}-glow`} cx=".72" cy=".6" r=".6">
          <stop offset="0" stopColor={palette.glow} stopOpacity=".42" />
          <stop offset="1" stopColor={palette.glow} stopOpacity="0" />
        </radialGradient>
        <radialGradient id={`${id}-vignette`} cx=".5" cy=".5" r=".75">
          <stop offset=".45" stopColor="#000" stopOpacity="0" />
          <stop offset="1" stopColor="#000" stopOpacity={wash?.vignette ?? 0.3} />
        </radialGradient>
        <clipPath id={`${id}-window`}>
          <path d={place === "interior" ? "M390 130h180v180H390z" : "M108 162h186v166H108z"} />
        </clipPath>
      </defs>
      <rect width="960" height="540" fill={`url(#${id}-sky)`} />
      <g transform={camera === undefined ? undefined : FRAMINGS[camera]}>
        <g className={camera === "moving" ? classes.moving : undefined}>
          {camera === "wide" && <rect x="-120" y="-120" width="1200" height="900" fill={palette.near} />}
          <PlaceLayer place={place} palette={palette} />
          {isBehindWindow && place !== "dungeon" && (
            <g clipPath={`url(#${id}-window)`}>
              {staging.effects
                .filter((effect) => !effects.includes(effect))
                .map((effect, index) => (
                  <EffectLayer key={effect} effect={effect} seed={index + 3} />
                ))}
            </g>
          )}
        </g>
      </g>
      <rect width="960" height="540" fill={`url(#${id}-glow)`} />
      {effects.map((effect, index) => (
        <EffectLayer key={effect} effect={effect} seed={index + 1} />
      ))}
      {camera === "shoulder" && (
        <path d="M-20 540q10-140 90-160 10-110 96-110t92 112q96 26 110 158z" fill={palette.figure} />
      )}
      {wash && (
        <rect width="960" height="540" fill={wash.colour} opacity={wash.strength} className={classes.wash} />
      )}
      <rect width="960" height="540" fill={`url(#${id}-vignette)`} />
      {camera === "wide" && <path d="M0 0h960v30H0zM0 510h960v30H0z" fill="#0A0A0C" />}
    </svg>
  );
}

function describe({ place, light, effects, camera, mood }: Staging): string {
  const parts = [
    place === undefined ? "an open landscape" : `a scene at: ${place}`,
    light && `light: ${light}`,
    effects.length > 0 && `effects: ${effects.join(", ")}`,
    camera && `camera: ${camera}`,
    mood && `mood: ${mood}`,
  ];
  return `A drawing of ${parts.filter(Boolean).join("; ")}`;
}

function Chips({ overrides }: Pick<Staging, "overrides">) {
  if (overrides.length === 0) return null;
  return (
    <Group gap={8} className={classes.chips ?? ""}>
      {overrides.map(({ name, value, isShown }) => (
        <Badge
          key={name}
          variant="outline"
          color={isShown ? "gray" : "warning"}
          tt="none"
          fw={400}
          title={isShown ? undefined : "The game receives this value; the drawing here does not show it."}
        >
          {formatTerm(name)}: {value}
          {isShown ? "" : " (not drawn)"}
        </Badge>
      ))}
    </Group>
  );
}
