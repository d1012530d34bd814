const { default: Sequencer } = require("@jest/test-sequencer");

/** Estimated duration of a test in `tests/`, relative to another of the same size. */
const STACK_FACTOR = 4;

/** Interval between files of browser tests: two concurrent ones saturate two cores. */
const BROWSER_INTERVAL = 4;

/**
 * Without the durations of an earlier run, as in a fresh clone, Jest starts with the largest files. A small file that
 * starts whole stacks would come last, and leave all workers but its own without work. Browser tests rarely wait, so they slow
 * each other down when they run side by side.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = longestFirst(super.sort([...tests]));
    const isBrowser = ({ path, context: { config } }) => path.startsWith(`${config.rootDir}/tests/browser/`);
    const browsers = sorted.filter(isBrowser);
    const spread = sorted.filter((test) => !isBrowser(test));
    for (const [index, browser] of browsers.entries()) {
      spread.splice(Math.min(spread.length, index * BROWSER_INTERVAL), 0, browser);
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
