import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { openApiDocument } from "@diegetic/contracts";
import { eventually } from "@diegetic/testing/eventually";
import { beforeAll, describe, expect, it } from "@jest/globals";
import express, { type Express } from "express";
import request from "supertest";
import { apiDocumentPages } from "./pages.ts";

const REQUESTS = 100;

describe("the pages of the API document", () => {
  let app: Express;
  beforeAll(() => {
    // As the service mounts them: without the framework's entity tags.
    app = express()
      .set("etag", false)
      .use(apiDocumentPages({ basePath: "/v/api" }));
  });

  it("are the document itself, which names the base path", async () => {
    const answer = await request(app).get("/openapi.json").expect(200).expect("Content-Type", /json/);
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(openApiDocument({ basePath: "/v/api" }))));
    expect(answer.body.servers[0].url).toBe("/v/api");
  });

  it("are in memory once, however many clients wait for them", async () => {
    let sent = 0;
    const counting = express()
      .use((_request, _response, next) => {
        next();
        sent += 1;
      })
      .use(app);
    const server = counting.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
    await request(app).get("/openapi.json").expect(200);
    const before = process.memoryUsage().arrayBuffers;
    client.write("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(REQUESTS));
    await eventually(() => sent === REQUESTS);
    // A hundred copies have about 100 MB.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30_000_000);
    client.destroy();
    server.closeAllConnections();
    server.close();
  });

  it("are a page that loads only what this service has, without scripts in it", async () => {
    const page = await request(app).get("/docs").expect(200).expect("Content-Type", /html/);
    const policy = page.headers["content-security-policy"];
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toMatch(/unsafe-eval|https?:/);
    const loaded = [...page.text.matchAll(/<(?:link|script)\b[^>]*? (?:src|href)="([^"]*)"/g)].map(
      ([, address]) => address ?? "",
    );
    expect(loaded.length).toBeGreaterThanOrEqual(5);
    for (const address of loaded.filter((one) => !one.startsWith("data:"))) {
      expect(address).toMatch(/^\/docs\//);
      const file = await request(app).get(address).expect(200);
      expect(file.headers["content-type"]).toMatch(address.endsWith(".css") ? /css/ : /javascript/);
    }
    expect(page.text).not.toMatch(/<script(?! src=)/);
  });

  it.each([
    ["/docs", "no-cache"],
    ["/openapi.json", "no-cache"],
    ["/docs/page.js", "no-cache"],
    ["/docs/swagger-ui-bundle.js", "public, max-age=3600"],
  ])("are compressed where that is accepted, and not sent again: %s", async (path, cacheControl) => {
    const plain = await request(app).get(path).set("Accept-Encoding", "identity").expect(200);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers.vary).toMatch(/Accept-Encoding/);
    expect(plain.headers["cache-control"]).toBe(cacheControl);
    // Of two forms.
    expect(plain.headers.etag).toMatch(/^W\//);
    const small = await request(app).get(path).expect("Content-Encoding", "gzip");
    expect(small.text).toBe(plain.text);
    expect(Number(small.headers["content-length"])).toBeLessThan(Buffer.byteLength(plain.text));
    expect(small.headers.etag).toBe(plain.headers.etag);
    expect(small.headers.vary).toMatch(/Accept-Encoding/);
    const head = await request(app).head(path).set("Accept-Encoding", "gzip").expect(200);
    expect(head.headers["content-length"]).toBe(small.headers["content-length"]);
    const same = await request(app)
      .get(path)
      .set("If-None-Match", plain.headers.etag ?? "")
      .expect(304);
    expect(same.headers["content-encoding"]).toBeUndefined();
    expect(same.headers.etag).toBe(plain.headers.etag);
    expect(same.headers.vary).toMatch(/Accept-Encoding/);
  });

  it.each(["/docs", "/openapi.json"])("are found with a slash at the end, too: %s/", async (path) => {
    const moved = await request(app).get(`${path}/`).expect(308);
    expect(moved.headers.location).toBe(path);
  });

  it("leave other paths and methods to others", async () => {
    await request(app).get("/docs/package.json").expect(404);
    await request(app).post("/openapi.json").expect(404);
  });
});
