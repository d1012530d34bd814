import { HttpError } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import { ReportQueue } from "./report-queue.ts";

/** A report that ends when told to. */
class TestReport {
  isRunning = false;
  end: () => void = () => {};
  fail: () => void = () => {};
  readonly result: Promise<string>;

  constructor(queue: ReportQueue, accountId: string) {
    const ended = new Promise<string>((resolve, reject) => {
      this.end = () => resolve(accountId);
      this.fail = () => reject(new Error("slow"));
    });
    this.result = queue.run(accountId, () => {
      this.isRunning = true;
      return ended;
    });
    this.result.catch(() => undefined);
  }
}

const start = (queue: ReportQueue, ...accountIds: string[]) =>
  accountIds.map((accountId) => new TestReport(queue, accountId));
const running = async (reports: readonly TestReport[]) => {
  await new Promise((resolve) => setImmediate(resolve));
  return reports.map(({ isRunning }) => isRunning);
};

describe("ReportQueue", () => {
  it("runs one report of an account at a time, also after a failed one, and that of another meanwhile", async () => {
    const reports = start(new ReportQueue(), "a", "a", "b");
    expect(await running(reports)).toEqual([true, false, true]);
    reports[0]?.fail();
    await expect(reports[0]?.result).rejects.toThrow("slow");
    expect(await running(reports)).toEqual([true, true, true]);
    reports[1]?.end();
    expect(await reports[1]?.result).toBe("a");
  });

  it("runs two reports at a time, and lets accounts take turns", async () => {
    const reports = start(new ReportQueue(), "a", "b", "a", "a", "b", "c");
    expect(await running(reports)).toEqual([true, true, false, false, false, false]);
    reports[1]?.end();
    await reports[1]?.result;
    expect(await running(reports)).toEqual([true, true, false, false, false, true]);
    reports[0]?.end();
    await reports[0]?.result;
    expect(await running(reports)).toEqual([true, true, false, false, true, true]);
    reports[5]?.end();
    await reports[5]?.result;
    expect(await running(reports)).toEqual([true, true, true, false, true, true]);
  });

  it("refuses a fifth report of an account with 429 until one has ended", async () => {
    const queue = new ReportQueue();
    const reports = start(queue, "a", "a", "a", "a");
    const refused = await queue.run("a", async () => "").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HttpError);
    expect(refused).toMatchObject({ status: 429, headers: { "Retry-After": "1" } });
    reports[0]?.end();
    await reports[0]?.result;
    const [another] = start(queue, "a");
    await expect(queue.run("a", async () => "")).rejects.toThrow("in progress");
    for (const report of [...reports, another]) {
      report?.end();
      expect(await report?.result).toBe("a");
    }
  });

  it("refuses a report with 429 whose turn does not come in time, and never runs it", async () => {
    const queue = new ReportQueue({ maxWaitMs: 20 });
    const reports = start(queue, "a", "b", "c");
    await expect(reports[2]?.result).rejects.toMatchObject({ status: 429 });
    for (const report of reports) report.end();
    await reports[0]?.result;
    expect(await running(reports)).toEqual([true, true, false]);
  });
});
