import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { MATCH_NODE_OPTIONS } from "./node-options.ts";

/** As they stand in a shell, and in a list of YAML. */
const FORMS = [MATCH_NODE_OPTIONS.join(" "), MATCH_NODE_OPTIONS.map((option) => `"${option}"`).join(", ")];

describe("what Node is started with for an instance", () => {
  it.each(["docker-compose.yml", "docs/operating.md", "package.json"])("is the same in %s", (file) => {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8").replace(/,\s+/g, ", ");
    expect(FORMS.some((form) => text.includes(form))).toBe(true);
  });
});
