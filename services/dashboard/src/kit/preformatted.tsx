import { Text } from "@mantine/core";

/** A text of programs, such as JSON, with its own lines; long ones go on below. */
export function Preformatted({ children }: { children: string }) {
  return (
    <Text
      component="pre"
      ff="monospace"
      fz="xs"
      m={0}
      style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
    >
      {children}
    </Text>
  );
}
