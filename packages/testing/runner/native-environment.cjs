/** Jest's test environment without a realm of its own (see native-runtime.cjs). */
module.exports = class NativeEnvironment {
  #own = { console: globalThis.console, exit: process.exit };
  global = globalThis;

  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {
    globalThis.console = this.#own.console;
    process.exit = this.#own.exit;
  }
};
