import { ActionIcon, CopyButton, Group, Text, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

/** An identifier, with a button that copies it. Never the only name of a thing. */
export function Id({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex" maw="100%">
      <Text span ff="monospace" fz="xs" c="dimmed" truncate>
        {value}
      </Text>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : `Copy ${label}`}>
            <ActionIcon size="sm" aria-label={copied ? "Copied" : `Copy ${label}`} onClick={copy}>
              {copied ? <IconCheck size={14} stroke={1.5} /> : <IconCopy size={14} stroke={1.5} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
