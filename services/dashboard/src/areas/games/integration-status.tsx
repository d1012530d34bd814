import { Status } from "../../kit/status.tsx";
import type { Stage } from "./placement.ts";
import { STAGE_WORDS } from "./stage.ts";

interface IntegrationStatusProps {
  isActive: boolean;
  /** undefined: not known. */
  stage: Stage | undefined;
}

/** Whether the ads of a game are on, and how far its integration has come. */
export function IntegrationStatus({ isActive, stage }: IntegrationStatusProps) {
  if (!isActive) return <Status tone="quiet">Ads off</Status>;
  if (stage === undefined) return <Status tone="positive">Ads on</Status>;
  return <Status tone={STAGE_WORDS[stage].tone}>{STAGE_WORDS[stage].word}</Status>;
}
