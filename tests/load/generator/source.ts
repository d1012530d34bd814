/** Requests of one kind, one after the other. */
export interface RequestSource {
  /** Serialised, head and body; undefined: there are no more. */
  next(): Buffer | undefined;
  /** What this request was answered; `request` as `next` gave it. Throws when that is not what was to be expected. */
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

/** Throws unless the status is one of those. */
export function requireStatus(status: number, expected: readonly number[], body: Buffer): void {
  if (!expected.includes(status)) throw new Error(`answered ${status}: ${body.toString("utf8", 0, 500)}`);
}
