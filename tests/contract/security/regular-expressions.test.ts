import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  apiKeyOperations,
  blocklistRuleCreate,
  campaignCreate,
  gameIdParameter,
  integerParameter,
  matchRequest,
  registerRequest,
} from "@diegetic/contracts";
import { isLongForm } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";
import { parseSync } from "@swc/core";
import { phrase, searchable } from "../../../packages/ad-rules/src/text/words.ts";

// The plain JavaScript of the detector: its faster builds are programs of their own.
process.env.RECHECK_BACKEND = "pure";
const { checkSync } = await import("recheck");

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Scripts read only what this project prints. */
const FOLDERS = ["packages", "services", ...(isLongForm ? ["scripts", "docker"] : [])];
const SOURCES = /\.(ts|mts|mjs)$/;
const NO_PRODUCT_CODE =
  /\.test\.ts$|\.d\.ts$|\.fixture\.ts$|\/(testing|generated|tests|bench|dist|node_modules)\//;
/** Put together while the program starts, where the growth of their time is measured below, and from patterns of schemas. */
const COMPOSED = ["packages/ad-rules/src/text/words.ts", "services/dashboard/src/api/check-fields.ts"];

/** Run on nothing that comes from outside. */
const OF_OUR_OWN_NUMBERS = new Set([String.raw`\B(?=(\d{3})+$)`]);
/** As much as a body may hold. */
const BODY_CHARACTERS = 256 * 1024;
const READ_WITHIN_MS = 10_000;
/** Judging takes a second at most, but not on a busy machine: without a verdict nothing is known. */
const JUDGED_WITHIN_MS = 120_000;
/** A step that is cut short after a second, as by default, makes the detector judge linear expressions vulnerable. */
const JUDGING = {
  timeout: JUDGED_WITHIN_MS,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
};

interface Expression {
  source: string;
  flags: string;
  from: string;
}

function productFiles(): string[] {
  return FOLDERS.flatMap((folder) => filesBelow(join(ROOT, folder))).filter(
    (file) => SOURCES.test(file) && !NO_PRODUCT_CODE.test(file),
  );
}

/** Does not walk through the packages that a workspace package links. */
function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

/** Every literal of the product, and the files that put expressions together by `new RegExp`. */
function expressionsInCode(): { literals: Expression[]; composedIn: string[] } {
  const literals: Expression[] = [];
  const composedIn = new Set<string>();
  for (const file of productFiles()) {
    const from = relative(ROOT, file);
    const syntax = file.endsWith("ts")
      ? ({ syntax: "typescript" } as const)
      : ({ syntax: "ecmascript" } as const);
    visit(parseSync(readFileSync(file, "utf8"), { ...syntax, target: "es2024" }), (node) => {
      if (node.type === "RegExpLiteral") {
        literals.push({ source: String(node.pattern), flags: String(node.flags), from });
      }
      const { type, callee } = node as { type?: unknown; callee?: { value?: unknown } };
      if ((type === "NewExpression" || type === "CallExpression") && callee?.value === "RegExp")
        composedIn.add(from);
    });
  }
  return { literals, composedIn: [...composedIn] };
}

function visit(node: unknown, look: (node: Record<string, unknown>) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) look(node as Record<string, unknown>);
  for (const part of Object.values(node)) visit(part, look);
}

/** The patterns of the schemas, which ajv runs on whatever is sent. */
function expressionsInSchemas(): Expression[] {
  const found = new Map<string, Expression>();
  visit(JSON.parse(JSON.stringify(apiKeyOperations())), ({ pattern }) => {
    if (typeof pattern === "string") found.set(pattern, { source: pattern, flags: "u", from: "a schema" });
  });
  return [...found.values()];
}

const { detector, safe: knownSafe } = JSON.parse(
  readFileSync(new URL("safe-expressions.json", import.meta.url), "utf8"),
) as { detector: string; safe: string[] };

/**
 * Expressions that this version of the detector found safe. Judging all takes half a minute, so the short form judges only
 * others: add those to the file once they are found safe. The long form judges all.
 */
function safeWithoutJudging(): Set<string> {
  const { version } = createRequire(import.meta.url)("recheck/package.json") as { version: string };
  return new Set(detector === version && !isLongForm ? knownSafe : []);
}

const { literals, composedIn } = expressionsInCode();
const distinct = new Map(
  [...literals.filter(({ source }) => !OF_OUR_OWN_NUMBERS.has(source)), ...expressionsInSchemas()].map(
    (expression) => [`/${expression.source}/${expression.flags}`, expression],
  ),
);
const safe = safeWithoutJudging();
const unknown = [...distinct].filter(([shown]) => !safe.has(shown));

describe("regular expressions", () => {
  it("are found, and put together only where it is known", () => {
    expect(distinct.size).toBeGreaterThan(20);
    expect(composedIn).toEqual(COMPOSED);
  });

  it.each(["^(a+)+$", "(a|a)*b", "\\s*x\\s*$"])("like /%s/ would be found to blow up", (source) => {
    expect(checkSync(source, "").status).toBe("vulnerable");
  });

  it("that are known to be safe are still in the code or in schemas", () => {
    expect(knownSafe.filter((shown) => !distinct.has(shown))).toEqual([]);
  });

  // Jest refuses an empty table.
  if (unknown.length > 0) {
    it.each(unknown)(
      "%s does not blow up",
      (_shown, { source, flags, from }) => {
        // The detector does not know sets of characters by property, such as \p{L}: for growth any class does.
        const plain = source.replace(/\\p\{[^}]+\}/g, "\\w").replace(/\\P\{[^}]+\}/g, "\\W");
        const { status } = checkSync(plain, flags.replace(/[vd]/g, ""), JUDGING);
        expect({ from, status }).toEqual({ from, status: "safe" });
      },
      JUDGED_WITHIN_MS,
    );
  }
});

describe("reading what strangers send", () => {
  const seeds = [
    "a",
    " ",
    "@",
    "a@",
    "a.",
    "-",
    "'",
    "a ",
    "0",
    "/",
    "https://a",
    ".a@a.",
    "é",
    "\u0301",
    "日",
    "👾",
    "\ufdfa",
  ];
  const readers: [string, (text: string) => unknown][] = [
    ["e-mail addresses", (text) => registerRequest({ company_name: "E", contact_email: `${text}@x` })],
    [
      "web addresses",
      (text) => registerRequest({ company_name: "E", contact_email: "a@b.cd", website: `http://${text}` }),
    ],
    ["dates", (text) => campaignCreate({ name: "N", budget_cents: 1, cpm_bid_cents: 100, start_date: text })],
    ["game ids", (text) => gameIdParameter(`${text}\n`)],
    [
      "whole numbers",
      (text) =>
        integerParameter("limit", new URLSearchParams({ limit: `${text}x` }), { minimum: 1, maximum: 2 }),
    ],
    ["phrases", (text) => blocklistRuleCreate({ rule_type: "keyword", value: text })],
    ["scenes", (text) => matchRequest({ game_id: "g", user_id: "u", game_context: { narrative: text } })],
    ["words", searchable],
    ["sought words", phrase],
  ];

  it.each(readers)("is done soon, however much it is: %s", (_what, read) => {
    for (const seed of seeds) {
      const text = seed.repeat(Math.ceil(BODY_CHARACTERS / seed.length));
      // A reader that is quadratic would take minutes.
      expect(fastest(() => read(text))).toBeLessThan(READ_WITHIN_MS);
    }
  });
});

/**
 * Milliseconds of the first of three runs that is in time, otherwise of the fastest; refusals count like everything else.
 */
function fastest(run: () => unknown): number {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let runs = 0; runs < 3 && fastestMs >= READ_WITHIN_MS; runs += 1) {
    const startedMs = performance.now();
    try {
      run();
    } catch {
      // Most of these texts are refused: only how long that takes matters.
    }
    fastestMs = Math.min(fastestMs, performance.now() - startedMs);
  }
  return fastestMs;
}
