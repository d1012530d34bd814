import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";

const root = fileURLToPath(new URL("../../", import.meta.url));
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];
const CODE_PATH = /`((?:packages|services|tests|prisma|scripts|docker)\/[\w./-]*)`/g;
/** What is built or measured, and in no repository. */
const MADE = /\/(?:dist|results)\//;
const LINK = /\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g;

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(root, document), "utf8");

  it("names only files and folders that exist", () => {
    const named = [...text.matchAll(CODE_PATH)].map(([, path = ""]) => path);
    expect(named.filter((path) => !MADE.test(path) && !existsSync(join(root, path)))).toEqual([]);
  });

  it("links only to what exists", () => {
    const linked = [...text.matchAll(LINK)].map(([, path = ""]) => join(root, document, "..", path));
    expect(linked.filter((path) => !existsSync(path))).toEqual([]);
  });
});

it("the README names files at all", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  expect([...readme.matchAll(CODE_PATH)].length).toBeGreaterThan(20);
});
