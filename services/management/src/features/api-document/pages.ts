import { createRequire } from "node:module";
import { dirname } from "node:path";
import { openApiDocument } from "@diegetic/contracts";
import { type RequestHandler, Router } from "express";
import { DOCUMENT_PATH, PAGE, PAGE_PATH, PAGE_POLICY, PAGE_SCRIPT, PAGE_STYLE } from "./page.ts";

const require = createRequire(import.meta.url);
const BUNDLE_FOLDER = dirname(require.resolve("swagger-ui-dist/package.json"));
/** Files that the page takes unchanged from the package. */
const BUNDLE_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];
const BUNDLE_MAX_AGE_MS = 60 * 60 * 1_000;

/** `GET /openapi.json`, and `/docs` to read it. Public: they need no key and reveal nothing about accounts. */
export function apiDocumentPages(options: { basePath: string }): RequestHandler {
  const router = Router({ strict: true });
  const document = JSON.stringify(openApiDocument(options), null, 2);
  router.get(DOCUMENT_PATH, sendText("application/json", document));
  for (const path of [DOCUMENT_PATH, PAGE_PATH]) {
    // Permanent redirect that keeps the method: tolerates a trailing slash.
    router.get(`${path}/`, (_request, response) => response.redirect(308, path));
  }
  router.get(PAGE_PATH, sendText("text/html", PAGE));
  router.get(`${PAGE_PATH}/page.js`, sendText("text/javascript", PAGE_SCRIPT));
  router.get(`${PAGE_PATH}/page.css`, sendText("text/css", PAGE_STYLE));
  for (const file of BUNDLE_FILES) {
    router.get(`${PAGE_PATH}/${file}`, (_request, response) => {
      response.removeHeader("Cache-Control");
      response.sendFile(file, { root: BUNDLE_FOLDER, maxAge: BUNDLE_MAX_AGE_MS });
    });
  }
  return router;
}

/** Encodes the text once: for each request it would cost a client nothing to fill the memory. */
function sendText(mediaType: string, text: string): RequestHandler {
  const bytes = Buffer.from(text);
  return (_request, response) => {
    if (mediaType === "text/html") response.setHeader("Content-Security-Policy", PAGE_POLICY);
    response.type(mediaType).setHeader("Cache-Control", "no-cache");
    response.send(bytes);
  };
}
