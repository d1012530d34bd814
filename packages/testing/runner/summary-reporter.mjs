/** A last line for people and scripts, because Jest's own summary comes after every reporter. */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.once("exit", () => process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`));
  }
}
