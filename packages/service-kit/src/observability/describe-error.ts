const MESSAGE_CHARACTERS = 2_000;
const STACK_CHARACTERS = 8_000;
const MAX_CAUSES = 4;

/** Describes an unavailable store in one sentence for an operator; undefined: the error is of another kind. */
export type DescribeUnavailable = (error: unknown) => string | undefined;

/** The fields of an error in a log line. */
export interface DescribedError {
  type: string;
  message: string;
  stack?: string;
  /** `ECONNREFUSED`, an SQL state, a code of Prisma. */
  code?: string;
  /** Name of the violated database constraint. */
  constraint?: string;
  /** Name of the failed Redis command, without arguments. */
  command?: string;
  cause?: DescribedError;
  errors?: DescribedError[];
}

/**
 * Reduces an error to fields that are safe to log. Drivers attach whole commands (with passwords or request data) and rows
 * to their errors, which are dropped; API keys, e-mail addresses and passwords in URLs are masked in messages. An
 * unavailable store is described by its sentence only, without a stack.
 */
export function describeError(
  error: unknown,
  describeUnavailable: DescribeUnavailable = () => undefined,
  causesLeft = MAX_CAUSES,
): DescribedError {
  if (typeof error !== "object" || error === null) {
    return { type: typeof error, message: masked(String(error), MESSAGE_CHARACTERS) };
  }
  const facts = error as Record<string, unknown>;
  const described: DescribedError = {
    type: textOf(facts.name) ?? error.constructor?.name ?? "Object",
    message: masked(textOf(facts.message) ?? textOf(facts.originalMessage) ?? "", MESSAGE_CHARACTERS),
  };
  const code = textOf(facts.code) ?? textOf(facts.originalCode);
  if (code !== undefined) described.code = code.slice(0, 100);
  const unavailable = describeUnavailable(error);
  if (unavailable !== undefined) return { ...described, message: masked(unavailable, MESSAGE_CHARACTERS) };
  const stack = textOf(facts.stack);
  if (stack !== undefined) described.stack = masked(stack, STACK_CHARACTERS);
  const constraint = textOf(facts.constraint);
  if (constraint !== undefined) described.constraint = masked(constraint, 200);
  const command = textOf((facts.command as { name?: unknown } | undefined)?.name);
  if (command !== undefined) described.command = command.slice(0, 100);
  if (causesLeft > 0) {
    if (facts.cause !== undefined && facts.cause !== null)
      described.cause = describeError(facts.cause, describeUnavailable, causesLeft - 1);
    if (Array.isArray(facts.errors)) {
      described.errors = facts.errors
        .slice(0, MAX_CAUSES)
        .map((one) => describeError(one, describeUnavailable, causesLeft - 1));
    }
  }
  return described;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : undefined;
}

/** Truncates a text and masks API keys, e-mail addresses and passwords in URLs. */
function masked(text: string, maxCharacters: number): string {
  return text
    .slice(0, maxCharacters)
    .replace(/igk_[A-Za-z0-9_-]+/g, "igk_[redacted]")
    .replace(/:\/\/[^\s/@]*@/g, "://[redacted]@")
    .replace(/[^\s"'`<>(),;:=/[\]{}|]+/g, (word) => (isEmailAddress(word) ? "[e-mail]" : word));
}

/** `package@1.2.3` in a stack is none. */
function isEmailAddress(word: string): boolean {
  const at = word.lastIndexOf("@");
  if (at < 1) return false;
  const labels = word
    .slice(at + 1)
    .split(/[^A-Za-z0-9_-]+/)
    .filter((label) => label !== "");
  return labels.length > 1 && /^[A-Za-z]/.test(labels.at(-1) ?? "");
}
