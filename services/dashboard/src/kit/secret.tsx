import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useCopy } from "./use-copy.ts";

interface SecretProps {
  value: string;
  /** What it is: "API key". */
  label: string;
  /** Who can do what with it. */
  warning: string;
  /** What to do when it is lost. */
  loss?: string;
}

const HASH_ONLY = "Only its hash is stored. When it is lost, rotate it to get another.";

/** Something that the server shows once and cannot show again, with a button that copies it. */
export function Secret({ value, label, warning, loss = HASH_ONLY }: SecretProps) {
  const { shownRef, copy, isCopied } = useCopy<HTMLPreElement>(value);
  return (
    <Stack gap="sm">
      <Alert color="warning" title={`This ${label} is shown once`}>
        {warning}
      </Alert>
      <Code
        block
        ref={shownRef}
        aria-label={label}
        style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}
      >
        {value}
      </Code>
      <Group>
        <Button
          data-autofocus
          onClick={() => void copy()}
          leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        >
          {isCopied ? "Copied" : `Copy ${label}`}
        </Button>
      </Group>
      <Text c="dimmed" fz="xs">
        {loss}
      </Text>
    </Stack>
  );
}

/** A secret as the last step of a dialog, which has no other way to be closed. */
export function SecretStep({ onClose, ...secret }: SecretProps & { onClose: () => void }) {
  return (
    <Stack>
      <Secret {...secret} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          I have stored it
        </Button>
      </Group>
    </Stack>
  );
}
