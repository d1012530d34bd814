import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";

const root = fileURLToPath(new URL("../../", import.meta.url));
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  ...["docs", "packages", "services", "clients", "examples"].flatMap((folder) => filesIn(folder, /\.md$/)),
];
const CODE_PATH = /`((?:packages|services|tests|prisma|scripts|docker)\/[\w./-]*)`/g;
/** What is built or measured, and in no repository. */
const MADE = /\/(?:dist|bundle|results)\//;
const HEADING_LINK = /\b((?:docs\/[\w./-]+|README|ARCHITECTURE|CONTRIBUTING)\.md)#([\w-]+)/g;
const LINK = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g;
const SCRIPT = /\bnpm (?:run (?:--silent )?)?(start|test|(?<=run (?:--silent )?)[\w:]+)/g;
const ONE_TEST = /\bnpm run jest -- (\S+) -t "([^"]+)"/g;

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(root, document), "utf8");

  it("names only files and folders that exist", () => {
    const named = [...text.matchAll(CODE_PATH)].map(([, path = ""]) => path);
    expect(named.filter((path) => !MADE.test(path) && !existsSync(join(root, path)))).toEqual([]);
  });

  it("links only to files and headings that exist", () => {
    const dead = [...text.matchAll(LINK)].filter(([, path = "", anchor]) => {
      const target = path === "" ? document : join(document, "..", path);
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).has(anchor));
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });

  it("runs only scripts and tests that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const named = [...text.matchAll(SCRIPT)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const tests = [...text.matchAll(ONE_TEST)].filter(
      ([, folder = "", title = ""]) =>
        !filesIn(folder, /\.test\.ts$/).some((file) =>
          readFileSync(join(root, file), "utf8").includes(title),
        ),
    );
    expect(tests.map(([command]) => command)).toEqual([]);
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
    filesIn(folder, /\.(ts|tsx|mjs|lua|prisma|sql)$/),
  );
}

/** What was written, not installed or built. */
function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return name.test(path) ? [path] : [];
    return ["node_modules", "dist"].includes(entry.name) ? [] : filesIn(path, name);
  });
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
