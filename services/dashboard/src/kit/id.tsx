import { ActionIcon, Group, Text, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useCopy } from "./use-copy.ts";

/** An identifier, with a button that copies it. Never the only name of a thing. */
export function Id({ value, label }: { value: string; label: string }) {
  const { shownRef, copy, isCopied } = useCopy<HTMLParagraphElement>(value);
  const name = isCopied ? "Copied" : `Copy ${label}`;
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex" maw="100%">
      <Text span ref={shownRef} ff="monospace" fz="xs" c="dimmed" truncate>
        {value}
      </Text>
      <Tooltip label={name}>
        <ActionIcon size="sm" aria-label={name} onClick={() => void copy()}>
          {isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
