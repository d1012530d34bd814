import { useState } from "react";

/**
 * What the rows in view were asked for. While an answer to another question is awaited, the former rows stay in view,
 * and so does what they are named by.
 */
export function useAnswered<Asked extends string>(
  asked: Asked,
  { isPlaceholderData: isStale }: { isPlaceholderData: boolean },
): Asked {
  const [answered, setAnswered] = useState(asked);
  if (isStale) return answered;
  if (answered !== asked) setAnswered(asked);
  return asked;
}
