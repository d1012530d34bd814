/**
 * Jest's order of test files. In a fresh clone, where no duration is known, those of `tests` come first: they start whole
 * stacks, so the last files to finish are short.
 */
const { default: Sequencer } = require("@jest/test-sequencer");

module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const rank = ({ path, context }) => (path.startsWith(`${context.config.rootDir}/tests/`) ? 0 : 1);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
};
