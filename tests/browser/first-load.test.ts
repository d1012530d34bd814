import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "@jest/globals";

const DIST = fileURLToPath(new URL("../../services/dashboard/dist/", import.meta.url));
const MAX_FIRST_LOAD_BYTES = 300_000;

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
}

const manifest = JSON.parse(readFileSync(`${DIST}.vite/manifest.json`, "utf8")) as Record<string, Chunk>;

/** A chunk and everything that it needs before it runs. */
function neededBy(key: string, known = new Set<string>()): Set<string> {
  if (known.has(key)) return known;
  known.add(key);
  for (const imported of manifest[key]?.imports ?? []) neededBy(imported, known);
  return known;
}

function compressedBytes(keys: Iterable<string>): number {
  return [...keys].reduce((sum, key) => {
    const file = manifest[key]?.file ?? "";
    return sum + (file.endsWith(".js") ? gzipSync(readFileSync(DIST + file)).length : 0);
  }, 0);
}

describe("the built dashboard", () => {
  it.each(["src/areas/advertise/overview.tsx", "src/areas/account/sign-in.tsx"])(
    "loads at most 300 KB of compressed JavaScript before it shows %s",
    (page) => {
      const needed = neededBy("index.html");
      neededBy(page, needed);
      expect(needed.has(page)).toBe(true);
      expect(Object.keys(manifest)).toContain(page);
      expect(compressedBytes(needed)).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
    },
  );

  it.each(["src/charts/plots.tsx", "src/map/world-map.tsx"])("loads %s only where it is shown", (part) => {
    expect(Object.keys(manifest)).toContain(part);
    expect(neededBy("index.html")).not.toContain(part);
  });

  it("has no script in the page itself and asks no other host for anything", () => {
    const page = readFileSync(`${DIST}index.html`, "utf8");
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
  });
});
