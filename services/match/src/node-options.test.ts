import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { MATCH_NODE_OPTIONS } from "./node-options.ts";

const quoted = MATCH_NODE_OPTIONS.map((option) => `"${option}"`);
/** As they stand in a shell, in a list of YAML, and in one of a Helm template. */
const FORMS = [MATCH_NODE_OPTIONS.join(" "), quoted.join(", "), quoted.join(" ")];

describe("what Node is started with for an instance", () => {
  it.each([
    "docker-compose.yml",
    "deploy/helm/diegetic/templates/deployments.yaml",
    "docs/operating.md",
    "package.json",
  ])("is the same in %s", (file) => {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8").replace(/,\s+/g, ", ");
    expect(FORMS.some((form) => text.includes(form))).toBe(true);
  });
});
