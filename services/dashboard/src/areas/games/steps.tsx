import { Card, Group, Text } from "@mantine/core";
import { IconCircle, IconCircleCheck } from "@tabler/icons-react";
import { Moment } from "../../kit/moment.tsx";
import { Status } from "../../kit/status.tsx";
import type { GameTraffic } from "./placement.ts";
import { STAGE_WORDS, stepsOf } from "./stage.ts";
import classes from "./steps.module.css";

/** How far the integration of a game has come: waiting, match, shown, billed. */
export function Steps({ traffic }: { traffic: GameTraffic }) {
  const steps = stepsOf(traffic);
  const next = steps.findIndex(({ isDone }) => !isDone);
  const { tone, word, next: advice } = STAGE_WORDS[traffic.stage];
  return (
    <Card component="section" aria-label="Integration">
      <Group mb="md" gap="sm" aria-live="polite">
        <Status tone={tone}>{word}</Status>
        <Text c="dimmed">{advice}</Text>
      </Group>
      <ol className={classes.steps}>
        {steps.map(({ label, isDone, at, sentence }, index) => (
          <li key={label} className={classes.step} data-done={isDone} data-next={index === next}>
            <span className={classes.name}>
              {isDone ? (
                <IconCircleCheck size={18} className={classes.done} aria-label="Done:" />
              ) : (
                <IconCircle size={18} className={classes.todo} aria-label="Not yet:" />
              )}
              {label}
            </span>
            <Text fz="xs" c="dimmed" mt={4}>
              {isDone && at !== null ? (
                <>
                  Last: <Moment iso={at} />
                </>
              ) : (
                sentence
              )}
            </Text>
          </li>
        ))}
      </ol>
    </Card>
  );
}
