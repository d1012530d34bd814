import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import express, { type Express } from "express";
import request from "supertest";
import { dashboardPages } from "./pages.ts";

const PAGE = '<!doctype html><head><meta name="api-base" content="/api" /></head><body>Dashboard</body>';

let directory: string;
let app: Express;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "dashboard-"));
  await mkdir(join(directory, "assets"));
  await writeFile(join(directory, "index.html"), PAGE);
  await writeFile(join(directory, ".secret"), "hidden");
  await writeFile(join(directory, "assets", "app-1a2b3c.js"), "console.log(1);\n".repeat(200));
  await writeFile(join(directory, "logo.png"), "png");
  app = appWith({ basePath: "/v/api", directory });
});
afterAll(() => rm(directory, { recursive: true }));

/** As the service mounts them: without the framework's entity tags. */
function appWith(options: Parameters<typeof dashboardPages>[0]): Express {
  return express().set("etag", false).use(dashboardPages(options));
}

const open = (path: string) => request(app).get(path).set("Accept", "text/html,*/*;q=0.8");

describe("the dashboard's pages", () => {
  it.each(["/", "/campaigns/camp_1", "/play", "/index.html"])("are the first page at %s", async (path) => {
    const page = await open(path).expect(200).expect("Content-Type", /html/);
    expect(page.text).toContain("Dashboard");
    expect(page.text).toContain('<meta name="api-base" content="/v/api"');
    expect(page.headers["cache-control"]).toBe("no-cache");
  });

  it("are revalidated: an unchanged first page is 304, with the same policy", async () => {
    const page = await open("/").expect(200);
    const known = { "If-None-Match": page.headers.etag ?? "" };
    for (const path of ["/", "/campaigns"]) {
      const same = await open(path).set(known).expect(304);
      expect(same.text).toBe("");
      for (const name of ["content-security-policy", "cache-control", "etag", "vary"]) {
        expect([name, same.headers[name]]).toEqual([name, page.headers[name]]);
      }
    }
    const moved = await request(appWith({ basePath: "/other", directory }))
      .get("/")
      .set("Accept", "text/html")
      .set(known)
      .expect(200);
    expect(moved.text).toContain('content="/other"');
  });

  it("say that their answer depends on what is accepted", async () => {
    expect((await open("/campaigns").expect(200)).headers.vary).toMatch(/\bAccept\b(?!-)/);
    const missing = await request(app).get("/campaigns").set("Accept", "application/json").expect(404);
    expect(missing.headers.vary).toMatch(/\bAccept\b(?!-)/);
  });

  it("run only scripts of the build, and refuse frames", async () => {
    const { headers } = await open("/").expect(200);
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).not.toMatch(/unsafe-eval|https?:|script-src[^;]*unsafe/);
  });

  it("have files that never change under one name, compressed where that is accepted", async () => {
    const plain = await request(app).get("/assets/app-1a2b3c.js").set("Accept-Encoding", "identity");
    expect(plain.status).toBe(200);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const small = await request(app).get("/assets/app-1a2b3c.js").expect("Content-Encoding", "gzip");
    expect(small.text).toBe(plain.text);
    expect(Number(small.headers["content-length"])).toBeLessThan(plain.text.length);
    const known = { "If-None-Match": plain.headers.etag ?? "" };
    await request(app).get("/assets/app-1a2b3c.js").set(known).expect(304);
    const image = await request(app).get("/logo.png").expect(200).expect("Content-Type", "image/png");
    expect(image.headers.etag).toMatch(/^"/);
  });

  it.each([
    "/.secret",
    "/assets/../.secret",
    "/assets/%2e%2e/.secret",
    "/..%2f..%2fetc/passwd",
    "/assets/missing.js",
    "/assets",
    `/${"a".repeat(5_000)}`,
  ])("have nothing else: %s", async (path) => {
    await request(app).get(path).expect(404);
  });

  it("leave other methods and programs to others", async () => {
    await request(app).get("/campaigns").set("Accept", "application/json").expect(404);
    await request(app).post("/campaigns").set("Accept", "text/html").expect(404);
    await request(app).head("/").set("Accept", "text/html").expect(200);
    for (const path of ["/", "/play"]) {
      await request(app).get(path).set("Accept", "*/*").expect(200);
      await request(app).get(path).set("Accept", "application/json").expect(404);
    }
    await request(app).get("/campaigns").set("Accept", "*/*").expect(404);
  });

  it("say so when they are not built", async () => {
    const unbuilt = express().use(dashboardPages({ basePath: "/api", directory: join(directory, "none") }));
    const page = await request(unbuilt).get("/").set("Accept", "text/html").expect(503);
    expect(page.text).toContain("The dashboard is not built");
  });
});
