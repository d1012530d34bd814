import { createRequire } from "node:module";
import { dirname } from "node:path";
import { openApiDocument } from "@diegetic/contracts";
import { type RequestHandler, Router } from "express";
import { prepareStaticFile, StaticFiles, sendStaticFile } from "../../core/shared/static-files.ts";
import { DOCUMENT_PATH, PAGE, PAGE_PATH, PAGE_POLICY, PAGE_SCRIPT, PAGE_STYLE } from "./page.ts";

const require = createRequire(import.meta.url);
const BUNDLE_FOLDER = dirname(require.resolve("swagger-ui-dist/package.json"));
/** Files that the page takes unchanged from the package. */
const BUNDLE_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];
const BUNDLE_MAX_AGE_SECONDS = 60 * 60;

/** `GET /openapi.json`, and `/docs` to read it. Public: they need no key and reveal nothing about accounts. */
export function apiDocumentPages(options: { basePath: string }): RequestHandler {
  const router = Router({ strict: true });
  const document = () => JSON.stringify(openApiDocument(options), null, 2);
  router.get(DOCUMENT_PATH, sendText("json", document));
  for (const path of [DOCUMENT_PATH, PAGE_PATH]) {
    // Permanent redirect that keeps the method: tolerates a trailing slash.
    router.get(`${path}/`, (_request, response) => response.redirect(308, path));
  }
  const setPolicy: RequestHandler = (_request, response, next) => {
    response.setHeader("Content-Security-Policy", PAGE_POLICY);
    next();
  };
  router.get(PAGE_PATH, setPolicy, sendText("html", PAGE));
  router.get(`${PAGE_PATH}/page.js`, sendText("js", PAGE_SCRIPT));
  router.get(`${PAGE_PATH}/page.css`, sendText("css", PAGE_STYLE));
  const bundle = new StaticFiles(BUNDLE_FOLDER);
  for (const name of BUNDLE_FILES) {
    router.get(`${PAGE_PATH}/${name}`, async (request, response, next) => {
      const file = await bundle.read(name);
      if (file === undefined) return next();
      response.setHeader("Cache-Control", `public, max-age=${BUNDLE_MAX_AGE_SECONDS}`);
      sendStaticFile(request, response, file);
    });
  }
  return router;
}

/** Makes and encodes the text once, at the first request: for each it would cost a client nothing to fill the memory. */
function sendText(extension: string, text: string | (() => string)): RequestHandler {
  let prepared: ReturnType<typeof prepareStaticFile> | undefined;
  return async (request, response) => {
    if (prepared === undefined) {
      prepared = prepareStaticFile(Buffer.from(typeof text === "string" ? text : text()), extension);
      prepared.catch(() => {
        prepared = undefined;
      });
    }
    response.setHeader("Cache-Control", "no-cache");
    sendStaticFile(request, response, await prepared);
  };
}
