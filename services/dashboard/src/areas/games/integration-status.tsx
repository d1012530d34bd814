import { Status, type Tone } from "../../kit/status.tsx";
import type { Stage } from "./placement.ts";
import { STAGE_WORDS } from "./stage.ts";

interface IntegrationStatusProps {
  isActive: boolean;
  /** undefined: not known. */
  stage: Stage | undefined;
}

/** Whether the ads of a game are on, and how far its integration has come. */
export function IntegrationStatus({ isActive, stage }: IntegrationStatusProps) {
  const { word, tone } = integrationOf(isActive, stage);
  return <Status tone={tone}>{word}</Status>;
}

/** @param stage undefined: not known */
export function integrationOf(isActive: boolean, stage: Stage | undefined): { word: string; tone: Tone } {
  if (!isActive) return { word: "Ads off", tone: "quiet" };
  return stage === undefined ? { word: "Ads on", tone: "positive" } : STAGE_WORDS[stage];
}
