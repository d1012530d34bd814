/**
 * Runs the workspace's TypeScript without a build: `node --conditions=@diegetic/source --import <this file> main.ts`. Types
 * become spaces, so positions in stack traces are those of the sources.
 */
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { transform } from "@swc/wasm-typescript";

/** What tests import; the package itself works only in jest's own module system (see native-runtime.cjs). */
const JEST_GLOBALS = new URL("jest-globals.mjs", import.meta.url).href;
const RUN = /\?run=\d+$/;
/**
 * Modules that all test files of a worker share: an instance of WebAssembly in a library's module, of which there is only
 * one; and the API document and its schemas, which nothing changes and which take long to compile.
 */
const SHARED =
  /\/packages\/(database\/src\/schema-engine|contracts\/src\/.*(?<!\.test)|testing\/src\/documented)\.ts$/;

const stripped = new Map();

/** A test file has a number in its address, which it passes on: each has its own copies of the workspace's modules. */
export async function resolve(specifier, context, nextResolve) {
  if (specifier === "@jest/globals") return { url: JEST_GLOBALS, format: "module", shortCircuit: true };
  const resolved = await nextResolve(specifier, context);
  const run = RUN.exec(context.parentURL ?? "")?.[0];
  return run !== undefined && resolved.url.endsWith(".ts") && !SHARED.test(resolved.url)
    ? { ...resolved, url: resolved.url + run }
    : resolved;
}

export async function load(url, context, nextLoad) {
  const path = url.replace(RUN, "");
  if (!path.startsWith("file:") || !path.endsWith(".ts")) return nextLoad(url, context);
  let source = stripped.get(path);
  if (source === undefined) {
    source = (await transform(await readFile(fileURLToPath(path), "utf8"), { mode: "strip-only" })).code;
    stripped.set(path, source);
  }
  return { format: "module", source, shortCircuit: true };
}

if (isMainThread) register(import.meta.url);
