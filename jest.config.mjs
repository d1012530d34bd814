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
  testMatch: ["<rootDir>/{packages,services,tests}/**/*.test.ts"],
  modulePathIgnorePatterns: ["/dist/"],
};
