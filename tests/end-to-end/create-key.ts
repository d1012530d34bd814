import type { StackDescription, TestStack } from "@diegetic/testing/stack";
import { createInDatabase } from "../../services/standalone/src/key-command.ts";

const VALID_TIMEOUT_MS = 60_000;

/** What `stack.createKey` does, without a process for the command. */
export function createKey(stack: Pick<TestStack, "describe">, label: string): Promise<string> {
  const stores: StackDescription = stack.describe();
  return createInDatabase(stores, { label, rateLimitPerMinute: "unlimited" }, VALID_TIMEOUT_MS);
}
