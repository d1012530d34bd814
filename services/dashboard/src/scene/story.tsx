import type { ReactNode, Ref } from "react";
import classes from "./story.module.css";

export type StoryForm = "dialogue" | "letter" | "chat";

interface StoryProps {
  form?: StoryForm;
  /** What the game itself says before the inserted line. */
  before?: ReactNode;
  /** The inserted line. */
  line: ReactNode;
  lineRef?: Ref<HTMLParagraphElement>;
  after?: ReactNode;
  /** Who speaks, in a dialogue or a chat. */
  speaker?: string;
  /** Who paid for the line; shown in tools, never to players. */
  payer?: string;
}

/** Text as a player reads it; the inserted line stands beside a thin ember rule. */
export function Story({ form = "dialogue", before, line, lineRef, after, speaker, payer }: StoryProps) {
  return (
    <div className={classes.story} data-form={form}>
      {speaker && form !== "letter" && <p className={classes.speaker}>{speaker}</p>}
      {before && <p>{before}</p>}
      <p className={classes.line} ref={lineRef}>
        {line}
        {payer && <small className={classes.payer}>Paid for by {payer}</small>}
      </p>
      {after && <p>{after}</p>}
    </div>
  );
}
