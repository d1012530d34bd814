import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { StaticFiles } from "./static-files.ts";

let directory: string;
let path: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "static-files-"));
  path = join(directory, "page.html");
  await writeFile(path, "<p>Spring</p>");
});
afterAll(() => rm(directory, { recursive: true }));

it("reads and compresses a file once for all who ask first, and again once it has changed", async () => {
  const files = new StaticFiles(directory);
  const [one, other] = await Promise.all([files.read("page.html"), files.read("page.html")]);
  expect(one?.content.toString()).toBe("<p>Spring</p>");
  expect(other).toBe(one);
  expect(await files.read("page.html")).toBe(one);
  await writeFile(path, "<p>Summer is here</p>");
  const laterSeconds = Date.now() / 1_000 + 60;
  await utimes(path, laterSeconds, laterSeconds);
  const changed = await files.read("page.html");
  expect(changed?.content.toString()).toBe("<p>Summer is here</p>");
  expect(changed?.etag).not.toBe(one?.etag);
});
