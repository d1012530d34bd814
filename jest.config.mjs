/** One configuration for every test of the workspace: native ESM, TypeScript and workspace packages from their sources. */
export default {
  runtime: "<rootDir>/tests/helpers/native-runtime.cjs",
  testEnvironment: "<rootDir>/tests/helpers/native-environment.cjs",
  extensionsToTreatAsEsm: [".ts"],
  transform: {},
  injectGlobals: false,
  // Databases for tests.
  globalSetup: "<rootDir>/tests/helpers/global-setup.mjs",
  globalTeardown: "<rootDir>/tests/helpers/global-teardown.mjs",
  reporters: ["default", "<rootDir>/tests/helpers/summary-reporter.mjs"],
  // Only ends what hangs: on a busy machine with two files at a time, processes take their time to start.
  testTimeout: 60_000,
  testMatch: ["<rootDir>/{packages,services,tests}/**/*.test.ts"],
  // Modules of finished test files stay in memory.
  workerIdleMemoryLimit: "1500MB",
  modulePathIgnorePatterns: ["/dist/"],
};
