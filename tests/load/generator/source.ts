/** A sequence of requests of one kind. */
export interface RequestSource {
  /** Serialised, head and body; undefined: no more requests. */
  next(): Buffer | undefined;
  /** Checks an answer; `request` as returned by `next`. Throws when it is not as expected. */
  check(status: number, body: Buffer, request: Buffer): void;
}

export function serialise(path: string, body: string, key: string, method = "POST"): Buffer {
  return Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      "Host: 127.0.0.1",
      `Authorization: Bearer ${key}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  );
}

/** Throws unless the status is expected. */
export function requireStatus(status: number, expected: readonly number[], body: Buffer): void {
  if (!expected.includes(status)) throw new Error(`answered ${status}: ${body.toString("utf8", 0, 500)}`);
}
