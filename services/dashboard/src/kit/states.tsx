import { Anchor, Button, Card, Group, Stack, type StackProps, Text } from "@mantine/core";
import { IconAlertTriangle, IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import classes from "./states.module.css";
import { Status, type Tone } from "./status.tsx";

interface EmptyProps {
  /** One line, set in the story's type. */
  line: string;
  /** What belongs here. */
  children: ReactNode;
  action?: ReactNode;
  /** Stands on the page itself, rather than in a card or a frame. */
  isCard?: boolean;
}

/** Nothing is here yet: one line, what belongs here, one action. */
export function Empty({ line, children, action, isCard = false }: EmptyProps) {
  return (
    <State isCard={isCard}>
      <p className={classes.line}>{line}</p>
      <Text c="dimmed" maw={480} ta="center">
        {children}
      </Text>
      {action}
    </State>
  );
}

function State({ isCard, ...stack }: StackProps & { isCard: boolean }) {
  const state = <Stack align="center" gap="sm" className={classes.state ?? ""} {...stack} />;
  return isCard ? <Card>{state}</Card> : state;
}

interface EmptyLineProps {
  tone: Tone;
  /** Set in the story's type. */
  line: string;
  children: ReactNode;
}

/** Nothing is here, and that is good: no more than a line. */
export function EmptyLine({ tone, line, children }: EmptyLineProps) {
  return (
    <Group gap="sm" px="lg" py="sm">
      <Status tone={tone}>
        <Text span ff="var(--story-font)" fz="md">
          {line}
        </Text>
      </Status>
      <Text c="dimmed">{children}</Text>
    </Group>
  );
}

/** What a part of a page is read with: a query, or several as one. */
export interface Read {
  error: unknown;
  /** What there is answers a former question; the answer to the current one is on its way. */
  isPlaceholderData?: boolean;
  /** Left out: another try would not help. */
  refetch?: () => unknown;
}

interface FailedProps {
  /** What failed: "The campaigns could not be loaded." */
  what: string;
  read: Read;
  /** What still works, where the service itself refused: without an answer nothing is known. */
  children?: ReactNode;
  /** As of `Empty`. */
  isCard?: boolean;
}

/** Something failed: what, why, what still works, and a way to try again. */
export function Failed({ what, read: { error, refetch }, children, isCard = false }: FailedProps) {
  return (
    <State isCard={isCard} role="alert">
      <IconAlertTriangle size={24} color="var(--negative)" aria-hidden="true" />
      <Text fw={600} ta="center">
        {what}
      </Text>
      <Text c="dimmed" maw={480} ta="center">
        {error instanceof ApiError ? error.detail : "The page itself failed. Reload it."}
      </Text>
      {children && error instanceof ApiError && error.status !== 0 && (
        <Text c="dimmed" maw={480} ta="center">
          {children}
        </Text>
      )}
      {refetch && (
        <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={() => void refetch()}>
          Try again
        </Button>
      )}
    </State>
  );
}

interface NotLoadedProps {
  /** What is missing: "Balance". */
  label: string;
  /** Where nothing beside it says what is missing. */
  isNamed?: boolean;
  read: Read;
}

/** In place of a small part that could not be loaded, while the rest of the page works. */
export function NotLoaded({ label, isNamed = false, read }: NotLoadedProps) {
  return (
    <>
      {isNamed && `${label}: `}not loaded,{" "}
      <Anchor
        component="button"
        type="button"
        inherit
        aria-label={`Try again: ${label}`}
        onClick={() => void read.refetch?.()}
      >
        try again
      </Anchor>
    </>
  );
}
