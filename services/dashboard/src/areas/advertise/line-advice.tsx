import { Text } from "@mantine/core";
import { formatCount } from "../../format/format.ts";

/** What a box of dialogue holds without scrolling; games may take more, up to the limit of the API. */
const MAX_ADVISED_LETTERS = 200;

/** Says of lines that are allowed and yet long how long the longest is. */
export function LineAdvice({ lines }: { lines: readonly (string | null | undefined)[] }) {
  const longest = Math.max(...lines.map((line) => line?.length ?? 0));
  return (
    <div aria-live="polite">
      {longest > MAX_ADVISED_LETTERS && (
        <Text fz="xs" c="warning" mt={4}>
          Long: {formatCount(longest)} characters. Most boxes of dialogue hold about {MAX_ADVISED_LETTERS}.
        </Text>
      )}
    </div>
  );
}
