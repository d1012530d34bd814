import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMergedRef } from "@mantine/hooks";
import { type Ref, useRef } from "react";
import { MAX_GAME_ID_CHARACTERS, proposedGameId } from "./game-id-problem.ts";

interface GameIdInputProps {
  ref?: Ref<HTMLInputElement>;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  hasAutofocus?: boolean;
}

/** The identifier of a new game, with a proposal where the typed one is hard to repeat in code. */
export function GameIdInput(props: GameIdInputProps) {
  const { ref = null, value, onChange, error, hasAutofocus = false } = props;
  const field = useRef<HTMLInputElement>(null);
  const merged = useMergedRef(field, ref);
  const proposal = proposedGameId(value);
  return (
    <Stack gap={4}>
      <TextInput
        ref={merged}
        label="Game ID"
        description="Your own name for the game: your server sends it with every request, as game_id. It cannot be changed or deleted."
        placeholder="e.g. moonlit-keep"
        maxLength={MAX_GAME_ID_CHARACTERS}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={error}
        {...(hasAutofocus && { "data-autofocus": true })}
      />
      <Group gap="xs" aria-live="polite">
        {proposal !== undefined && (
          <>
            <Text c="dimmed" fz="xs">
              Easier to send without spaces and signs:
            </Text>
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => {
                onChange(proposal);
                field.current?.focus();
              }}
            >
              Use {proposal}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}
