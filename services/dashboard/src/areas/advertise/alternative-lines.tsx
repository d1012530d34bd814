import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useRef } from "react";
import type { ApiForm } from "../../api/use-api-form.ts";
import classes from "./creative-editor.module.css";
import { type CREATE, CREATIVE_LABELS } from "./creative-fields.ts";

function isBlank(text: string): boolean {
  return text.trim() === "";
}

interface AlternativeLinesProps {
  form: ApiForm<typeof CREATE>;
}

/** The lines of a creative beside its first one. */
export function AlternativeLines({ form }: AlternativeLinesProps) {
  const hooks = form.values.alt_hooks ?? [];
  const setHook = (index: number, text: string) =>
    form.set(
      "alt_hooks",
      hooks.map((hook, at) => (at === index ? text : hook)),
    );
  // The sentence is about the list: it names no line.
  const linesProblem = form.problem("alt_hooks");
  const isSuspect = (hook: string) => isBlank(hook) || !hooks.some(isBlank);
  const lastSuspect = hooks.findLastIndex(isSuspect);
  const isAdding = useRef(false);
  const focusIfAdded = (line: HTMLTextAreaElement | null) => {
    if (line === null || !isAdding.current) return;
    isAdding.current = false;
    line.focus();
  };
  return (
    <Stack gap="xs" {...form.markOf("alt_hooks")}>
      <Text fw={600}>{CREATIVE_LABELS.alt_hooks} (optional)</Text>
      {hooks.map((hook, index) => (
        <Group key={`${index + 1}`} gap="xs" wrap="nowrap" align="flex-start">
          <Textarea
            aria-label={`Alternative line ${index + 1}`}
            autosize
            minRows={1}
            value={hook}
            error={isSuspect(hook) && linesProblem !== undefined && (index !== lastSuspect || linesProblem)}
            ref={index === hooks.length - 1 ? focusIfAdded : undefined}
            onChange={({ currentTarget }) => setHook(index, currentTarget.value)}
            classNames={{ input: classes.line ?? "" }}
            flex={1}
          />
          <Button
            variant="subtle"
            color="gray"
            aria-label={`Remove alternative line ${index + 1}`}
            onClick={() =>
              form.set(
                "alt_hooks",
                hooks.filter((_hook, at) => at !== index),
              )
            }
          >
            Remove
          </Button>
        </Group>
      ))}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          onClick={() => {
            isAdding.current = true;
            form.set("alt_hooks", [...hooks, ""]);
          }}
        >
          Add a line
        </Button>
        <Text c="dimmed" fz="xs">
          A player who meets the creative again reads the next one.
        </Text>
      </Group>
    </Stack>
  );
}
