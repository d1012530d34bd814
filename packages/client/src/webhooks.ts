import type { WebhookEvent } from "./generated/api.ts";

const DEFAULT_TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

/** The request was not signed with the secret, or is too old. Answer it with 400. */
export class WebhookSignatureError extends Error {
  override name = "WebhookSignatureError";
}

export interface VerifyWebhookOptions {
  /** The body exactly as received, before anything has parsed it. */
  body: string | Uint8Array | ArrayBuffer;
  /** The header `Diegetic-Signature`. */
  signature: string | null | undefined;
  /** The secret of the webhook, `whsec_…`. */
  secret: string;
  /** How old a request may be. Default: 300. */
  toleranceSeconds?: number;
  /** Unix milliseconds. Default: `Date.now`. */
  nowMs?: () => number;
}

/**
 * Returns the event of a request to a webhook. Throws WebhookSignatureError unless one of its signatures is of the
 * secret and its time is near, TypeError for a body that was parsed. The same event may arrive again: remember `id`.
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const { time, signatures } = readHeader(options.signature ?? "");
  const body = bytesOf(options.body);
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(options.secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const prefix = encoder.encode(`${time}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  let isValid = false;
  // `verify` compares in constant time.
  for (const signature of signatures) isValid ||= await crypto.subtle.verify("HMAC", key, signature, signed);
  if (!isValid) throw new WebhookSignatureError("The signature is not of this secret and body.");
  const ageSeconds = (options.nowMs ?? Date.now)() / 1_000 - Number(time);
  if (Math.abs(ageSeconds) > (options.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS)) {
    throw new WebhookSignatureError("The signature is too old, or the clocks differ.");
  }
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

function bytesOf(body: VerifyWebhookOptions["body"]): Uint8Array {
  if (typeof body === "string") return encoder.encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError("body must be the text or bytes as received, not what a parser made of them");
}

const MAX_SIGNATURES = 8;

function readHeader(header: string): { time: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const fields = header.split(",").map((field) => field.trim());
  const time = fields.find((field) => field.startsWith("t="))?.slice(2) ?? "";
  const signatures = fields
    .filter((field) => /^v1=[0-9a-f]{64}$/.test(field))
    .slice(0, MAX_SIGNATURES)
    .map((field) => Uint8Array.from(field.slice(3).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
  if (!/^\d{1,12}$/.test(time) || signatures.length === 0) {
    throw new WebhookSignatureError("The header Diegetic-Signature is missing or malformed.");
  }
  return { time, signatures };
}
