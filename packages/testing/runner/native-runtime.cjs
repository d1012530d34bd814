/**
 * Jest's module system, replaced by that of Node: packages are loaded once for all test files of a worker, and run in the
 * realm of Node's own modules, as in production. Jest itself would load thousands of modules again for each test file.
 * Modules of tests are still loaded for each (see test-modules.mjs).
 *
 * There are no module mocks. A test that changes global state must restore it.
 */
const { pathToFileURL } = require("node:url");

let runs = 0;

module.exports = class NativeRuntime {
  requireInternalModule(path) {
    // A new copy for each test file, because its tests, hooks and event handlers are module state.
    delete require.cache[path];
    delete globalThis[Symbol.for("EVENT_HANDLERS")];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    globalThis[Symbol.for("jest-globals")] = globals;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    runs += 1;
    await import(`${pathToFileURL(path)}?run=${runs}`);
  }

  requireModule(path) {
    return require(path);
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
};
