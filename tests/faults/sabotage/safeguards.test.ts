import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { replaceOnce, SAFEGUARDS } from "./safeguards.mjs";

const ROOT = new URL("../../../", import.meta.url);

/** Scripts lie in one package, modules in the services. */
function urlOf(file: string): URL {
  return new URL(file.endsWith(".lua") ? `packages/hot-state${file}` : `services${file}`, ROOT);
}

/** That the suite fails without them is shown by npm run faults:bite. */
describe("safeguards that the fault suite is tried without", () => {
  it.each(Object.entries(SAFEGUARDS))("%s stands where its patch takes it out", (_name, { patches }) => {
    expect(patches).not.toHaveLength(0);
    for (const patch of patches) {
      const text = readFileSync(urlOf(patch.file), "utf8");
      expect(replaceOnce(text, patch)).not.toBe(text);
    }
  });
});
