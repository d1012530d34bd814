const { default: Sequencer } = require("@jest/test-sequencer");

/** Estimated duration of a test in `tests/`, relative to another of the same size. */
const STACK_FACTOR = 4;

/**
 * Without the durations of an earlier run, as in a fresh clone, Jest starts with the largest files. A small file that
 * starts whole stacks would come last, and leave all workers but its own without work.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort([...tests]);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const weight = ({ path, context: { config, hasteFS } }) =>
      (hasteFS.getSize(path) ?? 0) * (path.startsWith(`${config.rootDir}/tests/`) ? STACK_FACTOR : 1);
    return sorted.sort((one, other) => weight(other) - weight(one));
  }
};
