import type { Request, Response } from "express";
import type { Logger } from "../observability/logger.ts";
import { type AdmissionPolicy, takeQuota } from "./admission.ts";
import { parseJson } from "./body.ts";
import type { ApiKey, RequestContext } from "./endpoint.ts";
import { badRequest, unprocessable } from "./http-error.ts";

/** semantics: Small print, Idempotency-Key. */
const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

export function createContext(parts: {
  request: Request;
  response: Response;
  key: ApiKey;
  rawBody: Buffer;
  requestId: string;
  logger: Logger;
  policy: AdmissionPolicy;
}): RequestContext {
  const { request, response, key, requestId } = parts;
  const [path = "/", search = ""] = splitOnce(request.originalUrl, "?");
  return {
    requestId,
    accountId: key.accountId,
    key,
    param: (name) => {
      const value = request.params[name];
      if (typeof value !== "string") throw new Error(`the path has no part named ${name}`);
      return value;
    },
    query: new URLSearchParams(search),
    preferredMediaType: (offered) => {
      const preferred = request.accepts([...offered]);
      return offered.find((type) => type === preferred) ?? offered[0];
    },
    clientAddress: request.ip ?? "unknown",
    logger: parts.logger,
    get idempotencyKey() {
      return readIdempotencyKey(request.get("idempotency-key"));
    },
    operation: `${request.method} ${path}`,
    body: (validate) => validate(parseJson(parts.rawBody)),
    takeQuota: (bucket, limit) => takeQuota(parts.policy, response, bucket, limit),
  };
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (header === "") {
    throw badRequest(
      `Idempotency-Key is empty: send 1 to ${IDEMPOTENCY_KEY_MAX_LENGTH} characters, or leave the header out.`,
    );
  }
  if (header.length > IDEMPOTENCY_KEY_MAX_LENGTH) {
    throw unprocessable(
      `Idempotency-Key has ${header.length} characters: at most ${IDEMPOTENCY_KEY_MAX_LENGTH} are allowed, so send a shorter one.`,
    );
  }
  return header;
}
