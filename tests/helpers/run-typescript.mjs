/**
 * Runs the workspace's TypeScript in a child process of a test without a build: `node --conditions=@diegetic/source
 * --import <this file> main.ts`.
 */
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { transform } from "@swc/core";

const options = {
  jsc: { parser: { syntax: "typescript" }, target: "es2023" },
  module: { type: "es6" },
  sourceMaps: "inline",
};

export async function load(url, context, nextLoad) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, "utf8"), { ...options, filename });
  return { format: "module", source: code, shortCircuit: true };
}

if (isMainThread) register(import.meta.url);
