import { HttpError } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import { ReportQueue } from "./report-queue.ts";

/** A report that ends when told to. */
function startReport(queue: ReportQueue, accountId: string) {
  const { promise, resolve, reject } = deferred();
  const report = { started: false, end: () => resolve(accountId), fail: () => reject(new Error("slow")) };
  const result = queue.run(accountId, () => {
    report.started = true;
    return promise;
  });
  result.catch(() => undefined);
  return { report, result };
}

function deferred() {
  let resolve: (value: string) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<string>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("ReportQueue", () => {
  it("runs one report of an account at a time, also after a failed one, and those of others meanwhile", async () => {
    const queue = new ReportQueue();
    const [first, second, other] = ["a", "a", "b"].map((id) => startReport(queue, id));
    await turn();
    expect([first, second, other].map((one) => one?.report.started)).toEqual([true, false, true]);
    first?.report.fail();
    await expect(first?.result).rejects.toThrow("slow");
    await turn();
    expect(second?.report.started).toBe(true);
    second?.report.end();
    expect(await second?.result).toBe("a");
  });

  it("refuses a fifth report with 429 until one has ended", async () => {
    const queue = new ReportQueue();
    const reports = [1, 2, 3, 4].map(() => startReport(queue, "a"));
    const refused = await queue.run("a", async () => "").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HttpError);
    expect(refused).toMatchObject({ status: 429, headers: { "Retry-After": "1" } });
    reports[0]?.report.end();
    await reports[0]?.result;
    expect(startReport(queue, "a").report.started).toBe(false);
    await expect(queue.run("a", async () => "")).rejects.toThrow("in progress");
  });
});
