import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";

const root = fileURLToPath(new URL("../../", import.meta.url));
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];
const CODE_PATH = /`((?:packages|services|tests|prisma|scripts|docker)\/[\w./-]*)`/g;
/** What is built or measured, and in no repository. */
const MADE = /\/(?:dist|results)\//;
const HEADING_LINK = /\b((?:docs\/[\w./-]+|README|ARCHITECTURE|CONTRIBUTING)\.md)#([\w-]+)/g;
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

describe("links from code to headings of docs", () => {
  const links = codeFiles().flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(HEADING_LINK)].map(
      ([, document = "", anchor = ""]) => ({
        file,
        document,
        anchor,
      }),
    ),
  );

  it("name headings that exist", () => {
    const dead = links.filter(({ document, anchor }) => !anchorsOf(document).has(anchor));
    expect(dead).toEqual([]);
  });

  it("exist at all", () => {
    expect(links.length).toBeGreaterThan(100);
  });
});

it("every decision record has a number of its own, which its title repeats", () => {
  const folder = join(root, "docs/adr");
  const records = readdirSync(folder).filter((name) => /^\d/.test(name));
  const numbers = records.map((name) => Number.parseInt(name, 10));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  const titles = records.map((name) => readFileSync(join(folder, name), "utf8").match(/^# (\d+)\. /)?.[1]);
  expect(titles.map(Number)).toEqual(numbers);
});

it("the code map names files at all", () => {
  const map = readFileSync(join(root, "docs/code-map.md"), "utf8");
  expect([...map.matchAll(CODE_PATH)].length).toBeGreaterThan(20);
});

function codeFiles(): string[] {
  return ["packages", "services", "tests", "scripts", "prisma"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter(
        (name) => /\.(ts|tsx|mjs|lua|prisma|sql)$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name),
      )
      .map((name) => join(folder, name)),
  );
}

/** The anchors that a heading gets where documents are read; empty when there is no such document. */
function anchorsOf(document: string): Set<string> {
  if (!existsSync(join(root, document))) return new Set();
  const headings = [...readFileSync(join(root, document), "utf8").matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
