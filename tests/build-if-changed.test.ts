import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";

const { buildIfChanged } = await import(new URL("../scripts/lib/changes.mjs", import.meta.url).href);

let folder: string;
const at = (path: string) => join(folder, path);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "build-if-changed-"));
  mkdirSync(at("sources/inner"), { recursive: true });
  for (const name of ["sources/a.ts", "sources/inner/b.ts", "package.json"]) writeFileSync(at(name), name);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns whether it has built. */
async function builds(build = () => writeFileSync(at("output.js"), "built")): Promise<boolean> {
  let hasBuilt = false;
  const paths = {
    inputs: [at("sources"), at("package.json")],
    outputs: [at("output.js")],
    stampFile: at("stamp"),
  };
  await buildIfChanged(paths, async () => {
    build();
    hasBuilt = true;
  });
  return hasBuilt;
}

describe("buildIfChanged", () => {
  it("builds at first, and not again", async () => {
    expect([await builds(), await builds()]).toEqual([true, false]);
  });

  it.each<[string, () => void]>([
    ["a changed file", () => writeFileSync(at("package.json"), "changed")],
    ["a changed file in a folder", () => writeFileSync(at("sources/inner/b.ts"), "changed")],
    ["a new file", () => writeFileSync(at("sources/c.ts"), "")],
    ["a renamed file", () => renameSync(at("sources/a.ts"), at("sources/c.ts"))],
    ["a deleted file", () => rmSync(at("sources/a.ts"))],
    ["a missing output", () => rmSync(at("output.js"))],
  ])("builds again after %s", async (_what, change) => {
    await builds();
    change();
    expect([await builds(), await builds()]).toEqual([true, false]);
  });

  it("builds again after an interrupted build, also of inputs that were built before", async () => {
    await builds();
    writeFileSync(at("package.json"), "changed");
    const interrupted = builds(() => {
      throw new Error("interrupted");
    });
    await expect(interrupted).rejects.toThrow("interrupted");
    writeFileSync(at("package.json"), "package.json");
    expect([await builds(), await builds()]).toEqual([true, false]);
  });
});
