/**
 * The dependency rule of ARCHITECTURE.md. What a part may use stands here and nowhere else: every edge that is not
 * listed is a violation. `tests/dependency-rule.test.ts` plants a violation of each rule.
 */
const PACKAGES_OF = {
  collections: [],
  money: [],
  tracing: [],
  "ad-rules": ["collections", "contracts", "money"],
  contracts: [],
  client: [],
  "hot-state": ["collections", "contracts", "money", "tracing"],
  database: ["tracing"],
  "service-kit": ["contracts", "tracing"],
  "local-stores": [],
  testing: ["contracts", "database", "hot-state", "local-stores", "tracing"],
};
const PACKAGES_OF_SERVICE = {
  dashboard: ["ad-rules", "contracts"],
  management: [
    "ad-rules",
    "collections",
    "contracts",
    "database",
    "hot-state",
    "money",
    "service-kit",
    "tracing",
  ],
  match: ["ad-rules", "collections", "contracts", "hot-state", "money", "service-kit", "tracing"],
  billing: ["collections", "contracts", "database", "hot-state", "money", "service-kit", "tracing"],
  standalone: ["database", "hot-state", "local-stores", "service-kit"],
};
/** Standalone starts the others, and creates accounts with management's own function. */
const SERVICES_OF_SERVICE = { standalone: ["billing", "management", "match"] };

const TEST_FILE = "\\.test\\.ts$|/testing/|^packages/[^/]+/(tests|bench)/";
const oneOf = (names) => `(${names.join("|")})/`;

function edges(folder, name, packages, services = []) {
  const allowed = [`^${folder}/${name}/`, "^packages/testing/"];
  if (packages.length > 0) allowed.push(`^packages/${oneOf(packages)}`);
  if (services.length > 0) allowed.push(`^services/${oneOf(services)}`);
  return {
    name: `${name}-uses-only`,
    comment: `${folder}/${name} may use only: ${[...packages, ...services].join(", ") || "nothing of the workspace"}.`,
    severity: "error",
    from: { path: `^${folder}/${name}/` },
    to: { path: "^(packages|services|tests)/", pathNot: [...allowed, "node_modules"] },
  };
}

function onlyIn(name, owner, modules) {
  return {
    name,
    comment: `Only packages/${owner} and test tools may import ${modules}.`,
    severity: "error",
    from: { path: "^(packages|services)/", pathNot: `^packages/(${owner}|testing)/` },
    to: { path: `(^|node_modules/)${modules}(/|$)` },
  };
}

module.exports = {
  forbidden: [
    ...Object.entries(PACKAGES_OF).map(([name, packages]) => edges("packages", name, packages)),
    ...Object.entries(PACKAGES_OF_SERVICE).map(([name, packages]) =>
      edges("services", name, packages, SERVICES_OF_SERVICE[name]),
    ),
    onlyIn("redis-only-in-hot-state", "hot-state", "(ioredis|bullmq)"),
    onlyIn("postgres-only-in-database", "database", "(@prisma/[^/]+|prisma|pg)"),
    onlyIn("traces-only-in-tracing", "tracing", "@opentelemetry/[^/]+"),
    {
      name: "pure-packages-use-nothing",
      comment:
        "collections, money and ad-rules get clock, randomness and data as arguments: no Node module, no npm package but a cache.",
      severity: "error",
      from: { path: "^packages/(collections|money|ad-rules)/", pathNot: TEST_FILE },
      to: {
        dependencyTypes: ["core", "npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown"],
        pathNot: "(^|node_modules/)lru-cache(/|$)",
      },
    },
    {
      name: "rules-take-types-of-contracts",
      comment:
        "ad-rules is pure: it uses the types of contracts, in a folder without code, and none of its code.",
      severity: "error",
      from: { path: "^packages/ad-rules/", pathNot: "^packages/ad-rules/src/types/" },
      to: { path: "^packages/contracts/" },
    },
    {
      name: "tests-only-from-tests",
      comment:
        "The product does not know its tests: only test files may import from tests/ and packages/testing/.",
      severity: "error",
      from: { path: "^(packages|services)/", pathNot: TEST_FILE },
      to: { path: `^tests/|${TEST_FILE}` },
    },
    {
      name: "core-knows-no-feature",
      comment: "In management, core is what every feature stands on.",
      severity: "error",
      from: { path: "^services/management/src/core/", pathNot: TEST_FILE },
      to: { path: "^services/management/src/features/" },
    },
    {
      name: "no-cycles",
      comment: "Modules that need each other are one module, or miss a third.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      comment: "An import that cannot be resolved would escape every other rule.",
      severity: "error",
      from: { pathNot: "/generated/" },
      // Vite makes the virtual modules while it builds; the other two are types without code.
      to: { couldNotResolve: true, pathNot: "^(virtual:|geojson$|topojson-specification$)" },
    },
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(packages|services)/[^/]+/dist/|^packages/database/src/generated/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@diegetic/source", "import", "node", "default"],
      extensions: [".ts", ".tsx", ".mjs", ".js"],
    },
  },
};
