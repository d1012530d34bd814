import { eventually } from "@diegetic/testing/eventually";
import { expect, it } from "@jest/globals";
import { createLogger } from "./logger.ts";
import { createOutageLog, OutageKinds } from "./outage-log.ts";

it("logs one warning for each unavailable part, and one info line with all failures after recovery", async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ service: "match", instance: "test", level: "info" }, destination);
  const partOf = createOutageLog(logger);
  const [commands, snapshot] = [partOf("commands"), partOf("snapshot")];
  for (let time = 0; time < 3; time += 1) commands.failed(new Error("no answer in time"));
  commands.succeeded();
  snapshot.succeeded();
  await eventually(() => lines.length > 1);
  expect(lines).toEqual([
    expect.objectContaining({ level: 40, part: "commands", failures: 1, outageSeconds: 0 }),
    expect.objectContaining({
      level: 30,
      msg: "redis recovered",
      part: "commands",
      failures: 3,
      outageSeconds: expect.any(Number),
    }),
  ]);
});

it("logs few lines for unlimited kinds", () => {
  let written = 0;
  const unavailable = () => {
    written += 1;
  };
  const kinds = new OutageKinds<Error>(() => ({ unavailable, recovered: () => undefined }));
  for (let kind = 0; kind < 1_000; kind += 1) kinds.failed(`kind ${kind}`, new Error("unavailable"));
  expect(written).toBe(101);
});

it("logs a further kind by its name once others have recovered", async () => {
  const logged = new Set<string>();
  const kinds = new OutageKinds<Error>((kind) => ({
    unavailable: () => logged.add(kind),
    recovered: () => undefined,
  }));
  for (let kind = 0; kind < 100; kind += 1) kinds.failed(`kind ${kind}`, new Error("unavailable"));
  kinds.failed("late", new Error("unavailable"));
  expect(logged).not.toContain("late");
  kinds.succeeded();
  await eventually(() => {
    kinds.failed("late", new Error("unavailable"));
    return logged.has("late");
  });
});
