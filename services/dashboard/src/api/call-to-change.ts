import { outcomeOf } from "./api-error.ts";
import { type CallOptions, callAny } from "./call.ts";
import type { AnswerOf, ChangeKey, InputOf } from "./operations.ts";
import { forgetUndone } from "./unanswered.ts";

/** As `call`. Throws `UnknownOutcome` where no answer says whether the change was made. */
export async function callToChange<Key extends ChangeKey>(
  key: Key,
  input: InputOf<Key>,
  options: CallOptions = {},
): Promise<AnswerOf<Key>> {
  try {
    const answer = await callAny(key, input, options);
    if (key.startsWith("DELETE ")) forgetUndone();
    return answer;
  } catch (error) {
    throw outcomeOf(error);
  }
}
