import { isLongForm } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe } from "@jest/globals";
import type { Variant } from "../faults/topology/world.ts";
import { describeDrainAndOverload } from "./drain-and-overload.group.ts";
import { describeEndedConnections } from "./ended-by-stores.group.ts";
import { InterruptedStack } from "./interrupted-stack.fixture.ts";
import { describeSilentConnections } from "./silent-connections.group.ts";
import { describeSuspendedInstance } from "./suspended-instance.group.ts";

const TIMEOUT_MS = 300_000;

describe.each<Variant>(isLongForm ? ["single", "cluster"] : ["single"])(
  "a stack with two match instances, on a %s Redis",
  (variant) => {
    const stack = new InterruptedStack();
    beforeAll(() => stack.start(variant), TIMEOUT_MS);
    afterAll(() => stack.stop(), TIMEOUT_MS);

    // First, because nobody has restarted a process yet.
    describeEndedConnections(stack);
    if (variant === "cluster") return;
    describeSuspendedInstance(stack);
    describeDrainAndOverload(stack);
    // Last, because some of these connections never end.
    describeSilentConnections(stack);
  },
);
