import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { SetupError, waitUntil } from "@diegetic/local-stores";
import { listen } from "@diegetic/service-kit";
import { lockDataDirectory } from "./data-directory/lock.ts";
import { forgetStack, recordStack } from "./data-directory/running-stacks.ts";
import { readOrCreateSecrets, type StackSecrets } from "./data-directory/secrets.ts";
import { leftoverPids, removeStackFile } from "./data-directory/stack-file.ts";
import { readyText } from "./ready-text.ts";
import { readStackSettings, START_USAGE, type StackSettings } from "./settings.ts";
import { Stack, type StartedStack } from "./stack.ts";

const LEFTOVER_TIMEOUT_MS = 20_000;
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const say = (line: string) => process.stdout.write(`${line}\n`);

/** `npm start`: runs the stack until Ctrl-C. Throws one sentence when it cannot start, after stopping everything. */
export async function runStack(
  args: string[],
  { leftoverTimeoutMs = LEFTOVER_TIMEOUT_MS } = {},
): Promise<void> {
  const settings = readStackSettings(process.env, args);
  if (settings === "help") {
    say(START_USAGE);
    return;
  }
  const { dataDir } = settings;
  const isNew = !existsSync(dataDir);
  // A port in use must not leave a new data directory behind.
  if (isNew) await expectFreePort(settings);
  const lock = await lockDataDirectory(dataDir, "stack");
  try {
    // Before anything is removed: the file names the leftovers to the next start as well.
    await waitForLeftovers(dataDir, leftoverTimeoutMs);
    // The most likely problem, reported before anything starts.
    if (!isNew) await expectFreePort(settings);
    await runLocked(settings);
  } finally {
    lock.release();
  }
  // Handles that libraries still hold open must not keep the process alive.
  process.exit(0);
}

async function expectFreePort({ host, port }: StackSettings): Promise<void> {
  const server = await listen(() => undefined, { host, port, portVariable: "PORT" });
  await server.close(0);
}

/** Requires the lock of the data directory. */
async function runLocked(settings: StackSettings): Promise<void> {
  const { dataDir } = settings;
  try {
    recordStack(dataDir);
    removeStackFile(dataDir);
    const secrets = readOrCreateSecrets(dataDir);
    const setupToken = setupTokenOf(settings, secrets);
    const stack = new Stack({ settings, secrets, setupToken, say });
    await runUntilStopped(stack, ({ description, demo, hasOperator }) =>
      say(readyText(description, demo, { hasOperator, setupToken })),
    );
  } finally {
    removeStackFile(dataDir);
    forgetStack(dataDir);
  }
}

async function runUntilStopped(stack: Stack, onReady: (started: StartedStack) => void): Promise<void> {
  // Ctrl-C reaches this process twice, from the terminal and through npm, so further signals are ignored.
  // The `exec` in package.json makes npm signal this process instead of a shell.
  const stopRequested = new Promise<void>((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve());
  });
  let failure: unknown;
  const running = stack.start().then(
    (started) => {
      onReady(started);
      return stopRequested;
    },
    (error: unknown) => {
      failure = error;
    },
  );
  await Promise.race([running, stopRequested]);
  // A start that the stop below aborts fails, too: that is no problem.
  const startProblem = failure;
  if (startProblem === undefined) say("Stopping …");
  await stack.stop();
  if (startProblem !== undefined) throw startProblem;
  say("Stopped.");
}

/** Only a killed stack leaves its file behind. Its processes end without help; until then they hold ports and files. */
async function waitForLeftovers(dataDir: string, timeoutMs: number): Promise<void> {
  const haveEnded = () => leftoverPids(dataDir).length === 0;
  if (haveEnded()) return;
  say("Waiting until what a killed stack has left behind has ended …");
  if (!(await waitUntil(haveEnded, timeoutMs))) {
    const alive = leftoverPids(dataDir).join(", ");
    throw new SetupError(`Processes of a killed stack still run: end them (${alive}) and start again.`);
  }
}

/** A stack that other machines can reach always has a token: otherwise a stranger could be the first to sign up. */
function setupTokenOf({ setupToken, isReachable }: StackSettings, { authSecret }: StackSecrets): string {
  if (setupToken !== "" || !isReachable) return setupToken;
  return createHmac("sha256", authSecret).update("setup token").digest("base64url");
}
