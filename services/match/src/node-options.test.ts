import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { MATCH_NODE_OPTIONS } from "./node-options.ts";

const quoted = MATCH_NODE_OPTIONS.map((option) => `"${option}"`);
/** The forms in a shell, in a YAML list and in a list of a Helm template. */
const FORMS = [MATCH_NODE_OPTIONS.join(" "), quoted.join(", "), quoted.join(" ")];

describe("the Node options of an instance", () => {
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
