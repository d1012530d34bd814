import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);

/** A file of the build, ready to send. */
export interface BuiltFile {
  content: Buffer;
  /** Compressed content; undefined: compression is not worth it. */
  gzipped: Buffer | undefined;
  etag: string;
  extension: string;
}

/** A valid file name of the build: no hidden files, no parent directories. */
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const MAX_SEGMENTS = 8;
/** More than any build has. Further files are read every time. */
const MAX_CACHED_FILES = 1_000;
const COMPRESSIBLE = new Set(["html", "js", "css", "svg", "json", "txt", "map", "webmanifest"]);

/** The files of a directory, cached in memory until they change. */
export class BuiltFiles {
  readonly #directory: string;
  readonly #cached = new Map<string, { changedMs: number; file: BuiltFile }>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @param path below the directory, as in the URL; undefined: no such file */
  async read(path: string): Promise<BuiltFile | undefined> {
    const segments = path.split("/");
    if (segments.length > MAX_SEGMENTS || !segments.every((segment) => SEGMENT.test(segment)))
      return undefined;
    const name = join(this.#directory, ...segments);
    const found = await stat(name).catch(ignoreMissing);
    if (found === undefined || !found.isFile()) return undefined;
    const cached = this.#cached.get(path);
    if (cached?.changedMs === found.mtimeMs) return cached.file;
    const content = await readFile(name);
    const extension = /\.([a-z0-9]+)$/.exec(path)?.[1] ?? "";
    const file: BuiltFile = {
      content,
      gzipped: COMPRESSIBLE.has(extension) ? await compress(content) : undefined,
      etag: etagOf(content),
      extension,
    };
    if (this.#cached.size < MAX_CACHED_FILES) this.#cached.set(path, { changedMs: found.mtimeMs, file });
    return file;
  }
}

/** The strong entity tag of a content. */
export function etagOf(content: Buffer | string): string {
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ENAMETOOLONG") return undefined;
  throw error;
}
