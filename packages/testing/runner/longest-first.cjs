const { default: Sequencer } = require("@jest/test-sequencer");

/** Estimated duration of a test in `tests/`, relative to another of the same size. */
const STACK_FACTOR = 4;

/** One in so many files is a browser's: two of them keep two cores busy. */
const FILES_PER_BROWSER = 4;

/**
 * Without the durations of an earlier run, as in a fresh clone, Jest starts with the largest files. A small file that
 * starts whole stacks would come last, and leave all workers but its own without work. Browsers, which are among the longest
 * and do not wait, would hold each other up if they ran side by side.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = longestFirst(super.sort([...tests]));
    const isBrowser = ({ path, context: { config } }) => path.startsWith(`${config.rootDir}/tests/browser/`);
    const browsers = sorted.filter(isBrowser);
    const spread = sorted.filter((test) => !isBrowser(test));
    for (const [index, browser] of browsers.entries()) {
      spread.splice(Math.min(spread.length, index * FILES_PER_BROWSER), 0, browser);
    }
    return spread;
  }
};

function longestFirst(sorted) {
  if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
  const weight = ({ path, context: { config, hasteFS } }) =>
    (hasteFS.getSize(path) ?? 0) * (path.startsWith(`${config.rootDir}/tests/`) ? STACK_FACTOR : 1);
  return sorted.sort((one, other) => weight(other) - weight(one));
}
