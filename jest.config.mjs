/** One configuration for every test of the workspace: native ESM, TypeScript and workspace packages from their sources. */
export default {
  runtime: "<rootDir>/packages/testing/runner/native-runtime.cjs",
  testEnvironment: "<rootDir>/packages/testing/runner/native-environment.cjs",
  extensionsToTreatAsEsm: [".ts"],
  transform: {},
  injectGlobals: false,
  // Databases for tests.
  globalSetup: "<rootDir>/packages/testing/runner/global-setup.mjs",
  globalTeardown: "<rootDir>/packages/testing/runner/global-teardown.mjs",
  testSequencer: "<rootDir>/packages/testing/runner/longest-first.cjs",
  reporters: ["default", "<rootDir>/packages/testing/runner/summary-reporter.mjs"],
  // Only ends what hangs: on a busy machine with several files at a time, processes take their time to start.
  testTimeout: 300_000,
  testMatch: ["<rootDir>/{packages,services,tests}/**/*.test.ts"],
  // Modules of finished test files stay in memory.
  workerIdleMemoryLimit: "1500MB",
  modulePathIgnorePatterns: ["/dist/"],
};
