import { fileURLToPath } from "node:url";
import type { Request, RequestHandler, Response } from "express";
import { etagOf, type StaticFile, StaticFiles, sendStaticFile } from "../../core/shared/static-files.ts";

/** Directory of services/dashboard's build, in the repository and in the image. */
const DASHBOARD_DIRECTORY = fileURLToPath(new URL("../../../../dashboard/dist", import.meta.url));

/** Scripts come only from the build. Inline styles are allowed, because the components set styles that way. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Names of files below it contain a hash of their content. */
const HASHED = "assets/";
const API_BASE = /(<meta name="api-base" content=")[^"]*(")/;

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Diegetic</title></head><body>
<h1>The dashboard is not built</h1>
<p>The service runs, and its API answers. Build the dashboard in the folder of the service:</p>
<pre>npm run build</pre>
<p>The API is described at <a href="/docs">/docs</a>.</p>
</body></html>
`;

/**
 * Serves the dashboard: its files, and its first page for every other address that a browser opens, because routing happens in
 * the page. Public: the files reveal nothing about accounts.
 */
export function dashboardPages(options: { basePath: string; directory?: string }): RequestHandler {
  const { basePath } = options;
  const files = new StaticFiles(options.directory ?? DASHBOARD_DIRECTORY);
  return async (request, response, next) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead) return next();
    const path = request.path.slice(1);
    const file = path === "" || path === "index.html" ? undefined : await files.read(path);
    if (file !== undefined) return sendFile(request, response, file, path.startsWith(HASHED));
    if (path.startsWith(HASHED)) return next();
    response.vary("Accept");
    if (!isNavigation(request)) return next();
    sendFirstPage(response, await files.read("index.html"), basePath);
  };
}

/** Addresses that `npm start` prints. */
const PRINTED: ReadonlySet<string> = new Set(["/", "/play"]);

/** Whether a person opens the address: programs rarely accept HTML explicitly, but may open the printed addresses. */
function isNavigation(request: Request): boolean {
  if (PRINTED.has(request.path)) return request.accepts("html", "json") === "html";
  return /\btext\/html\b/.test(request.headers.accept ?? "");
}

function sendFile(request: Request, response: Response, file: StaticFile, isHashed: boolean): void {
  response.setHeader("Cache-Control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
  response.setHeader("Content-Security-Policy", POLICY);
  sendStaticFile(request, response, file);
}

/** Tells the page where the API is, so that one build fits every BASE_PATH. */
function sendFirstPage(response: Response, file: StaticFile | undefined, basePath: string): void {
  response.setHeader("Cache-Control", "no-cache");
  response.setHeader("Content-Security-Policy", POLICY);
  response.type("text/html");
  if (file === undefined) {
    response.status(503).send(NOT_BUILT);
    return;
  }
  const page = file.content
    .toString("utf8")
    .replace(API_BASE, (_tag, before: string, after: string) => before + basePath + after);
  response.setHeader("ETag", etagOf(page));
  response.send(page);
}
