/**
 * How modules of the workspace are loaded for test files: `node --import <this file> jest.js`. The product's own are shared
 * by all test files of a worker, as packages are. What belongs to tests is loaded again for each test file, because it
 * registers hooks and keeps state.
 */
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import fc from "fast-check";

/** What tests import; the package itself works only in jest's own module system (see native-runtime.cjs). */
const JEST_GLOBALS = new URL("jest-globals.mjs", import.meta.url).href;
/** What a change must pass fails by no chance; other runs look for counterexamples of their own. */
const { TEST_FORM, PROPERTY_RUNS, PROPERTY_SEED } = process.env;
const searches = TEST_FORM === "long" || PROPERTY_RUNS !== undefined;
if (PROPERTY_SEED !== undefined || !searches) {
  const seed = Number.parseInt(PROPERTY_SEED ?? "1", 10);
  if (Number.isNaN(seed)) throw new Error(`PROPERTY_SEED is "${PROPERTY_SEED}": it must be a whole number`);
  fc.configureGlobal({ seed });
}

if (TEST_FORM !== "long") await import("./quick-passwords.mjs");

const RUN = /\?run=\d+$/;
/** The workspace may itself lie below a folder of these names. */
const ROOT = new URL("../../../", import.meta.url).href;
const OF_TESTS = /\.(test|fixture)\.ts$|(^|\/)(tests|testing)\//;
/** The API document's schemas, which nothing changes and which take long to compile. */
const SHARED = /\/packages\/testing\/src\/documented\.ts$/;

const stripped = new Map();

registerHooks({
  /** A test file has a number in its address (see native-runtime.cjs), which it passes on. */
  resolve(specifier, context, nextResolve) {
    if (specifier === "@jest/globals") return { url: JEST_GLOBALS, format: "module", shortCircuit: true };
    const resolved = nextResolve(specifier, context);
    const run = RUN.exec(context.parentURL ?? "")?.[0];
    return run !== undefined && isCopied(resolved.url) ? { ...resolved, url: resolved.url + run } : resolved;
  },

  /** Strips the types of a module once, not for each copy. */
  load(url, context, nextLoad) {
    if (!RUN.test(url)) return nextLoad(url, context);
    const path = url.replace(RUN, "");
    let source = stripped.get(path);
    if (source === undefined) {
      source = stripTypeScriptTypes(readFileSync(fileURLToPath(path), "utf8"));
      stripped.set(path, source);
    }
    return { format: "module", source, shortCircuit: true };
  },
});

function isCopied(url) {
  return (
    url.startsWith(ROOT) && url.endsWith(".ts") && OF_TESTS.test(url.slice(ROOT.length)) && !SHARED.test(url)
  );
}
