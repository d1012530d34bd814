import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Request, Response } from "express";

const compress = promisify(gzip);

/** Content that every client gets alike, ready to send. */
export interface StaticFile {
  content: Buffer;
  /** Compressed content; undefined: compression is not worth it. */
  gzipped: Buffer | undefined;
  /** Weak where there is a compressed form, which is of other bytes. */
  etag: string;
  mediaType: string;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json; charset=utf-8",
  map: "application/json; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  webp: "image/webp",
  ico: "image/x-icon",
  txt: "text/plain; charset=utf-8",
  woff2: "font/woff2",
  webmanifest: "application/manifest+json; charset=utf-8",
};
const COMPRESSIBLE = new Set(["html", "js", "css", "svg", "json", "txt", "map", "webmanifest"]);

/** @param extension of a file with such content, without the dot */
export async function prepareStaticFile(content: Buffer, extension: string): Promise<StaticFile> {
  const gzipped = COMPRESSIBLE.has(extension) ? await compress(content) : undefined;
  return {
    content,
    gzipped,
    etag: gzipped === undefined ? etagOf(content) : `W/${etagOf(content)}`,
    mediaType: MEDIA_TYPES[extension] ?? "application/octet-stream",
  };
}

/** A valid file name of a build: no hidden files, no parent directories. */
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const MAX_SEGMENTS = 8;
/** More than any build has. Further files are read every time. */
const MAX_CACHED_FILES = 1_000;

/** The files of a directory, cached in memory until they change. Read and compressed once, however many clients ask first. */
export class StaticFiles {
  readonly #directory: string;
  readonly #cached = new Map<string, { changedMs: number; file: Promise<StaticFile> }>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @param path below the directory, as in the URL; undefined: no such file */
  async read(path: string): Promise<StaticFile | undefined> {
    const segments = path.split("/");
    if (segments.length > MAX_SEGMENTS || !segments.every((segment) => SEGMENT.test(segment)))
      return undefined;
    const name = join(this.#directory, ...segments);
    const found = await stat(name).catch(ignoreMissing);
    if (found === undefined || !found.isFile()) return undefined;
    const cached = this.#cached.get(path);
    if (cached?.changedMs === found.mtimeMs) return cached.file;
    const extension = /\.([a-z0-9]+)$/.exec(path)?.[1] ?? "";
    const file = readFile(name).then((content) => prepareStaticFile(content, extension));
    if (this.#cached.size < MAX_CACHED_FILES) this.#cached.set(path, { changedMs: found.mtimeMs, file });
    file.catch(() => {
      if (this.#cached.get(path)?.file === file) this.#cached.delete(path);
    });
    return file;
  }
}

/** Compressed where the client accepts that, and 304 where it has the content already. */
export function sendStaticFile(request: Request, response: Response, file: StaticFile): void {
  response.setHeader("ETag", file.etag);
  response.setHeader("Content-Type", file.mediaType);
  if (file.gzipped !== undefined) {
    response.vary("Accept-Encoding");
    // A 304 has no content that could be encoded.
    if (!request.fresh && request.acceptsEncodings("gzip", "identity") === "gzip") {
      response.setHeader("Content-Encoding", "gzip").send(file.gzipped);
      return;
    }
  }
  response.send(file.content);
}

/** A strong entity tag. */
export function etagOf(content: Buffer | string): string {
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ENAMETOOLONG") return undefined;
  throw error;
}
