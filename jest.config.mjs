/** One configuration for every test of the workspace: TypeScript by swc, native ESM, workspace packages from their sources. */
export default {
  testEnvironment: "node",
  testEnvironmentOptions: { customExportConditions: ["@diegetic/source", "node", "node-addons"] },
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2023" }, module: { type: "es6" } },
    ],
  },
  // Databases for tests; it uses the built packages, so `tsc -b` comes first.
  globalSetup: "<rootDir>/tests/helpers/global-setup.mjs",
  globalTeardown: "<rootDir>/tests/helpers/global-teardown.mjs",
  reporters: ["default", "<rootDir>/tests/helpers/summary-reporter.mjs"],
  // Only ends what hangs: on a busy machine with two files at a time, processes take their time to start.
  testTimeout: 60_000,
  testMatch: ["<rootDir>/{packages,services,tests}/**/*.test.ts"],
  modulePathIgnorePatterns: ["/dist/"],
};
