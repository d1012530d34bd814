import type { IncomingMessage } from "node:http";
import {
  countsAsTooMany,
  idempotencyKeyEmpty,
  idempotencyKeyTooLong,
  MAX_IDEMPOTENCY_KEY_CHARACTERS,
  type RateLimitGroup,
} from "@diegetic/contracts";
import express from "express";
import type { RateLimit } from "../settings/settings.ts";
import { type AdmissionPolicy, countAgainst, countForCaller, limitOfCaller } from "./admission.ts";
import { parseJson } from "./body.ts";
import { clientNetwork } from "./client-address.ts";
import type { Caller, RequestContext } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";

/** Picks the best of several media types by `Accept`; works on any request of `node:http`. */
const accepts = express.request.accepts as (this: IncomingMessage, types: string[]) => string | false;

/** A body counts as one more request for each of these, by default (docs/behaviour.md#rate-limits). */
const BYTES_PER_REQUEST = 16 * 1_024;

/** What routing found in the path. */
export interface Route {
  /** A path parameter, decoded. */
  param(name: string): unknown;
}

interface ContextParts {
  exchange: Exchange;
  route: Route;
  caller: Caller;
  /** Of the endpoint. */
  group: RateLimitGroup;
  rawBody: Buffer;
  policy: AdmissionPolicy;
}

/** Most handlers use little of a request, so expensive values are computed lazily. */
export class Context implements RequestContext {
  caller: Caller;
  readonly #parts: ContextParts;
  /** Requests as which the request has counted. */
  #counted = 1;
  #json: unknown;

  constructor(parts: ContextParts) {
    this.caller = parts.caller;
    this.#parts = parts;
  }

  get accountId(): string {
    return this.caller.accountId;
  }

  get clientAddress(): string {
    return this.#parts.policy.addressOf(this.#parts.exchange.request) ?? "unknown";
  }

  get clientNetwork(): string {
    const { request } = this.#parts.exchange;
    return clientNetwork(this.#parts.policy.addressOf(request), request.socket.remoteAddress);
  }

  header(name: string): string | undefined {
    return this.#parts.exchange.header(name);
  }

  get query(): URLSearchParams {
    return new URLSearchParams(splitUrl(this.#parts.exchange.url)[1]);
  }

  get idempotencyKey(): string | null {
    return readIdempotencyKey(this.#parts.exchange.header("idempotency-key"));
  }

  get operation(): string {
    const { request, url } = this.#parts.exchange;
    return `${request.method} ${splitUrl(url)[0]}`;
  }

  param(name: string): string {
    const value = this.#parts.route.param(name);
    if (typeof value !== "string") throw new Error(`the path has no parameter ${name}`);
    return value;
  }

  preferredMediaType<Type extends string>(offered: readonly [Type, ...Type[]]): Type {
    const preferred = accepts.call(this.#parts.exchange.request, [...offered]);
    return offered.find((type) => type === preferred) ?? offered[0];
  }

  body<T>(validate: (value: unknown) => T): T {
    this.#json ??= parseJson(this.#parts.rawBody);
    return validate(this.#json);
  }

  countAs(requests: number): Promise<void> | undefined {
    return requests <= this.#counted ? undefined : this.#countUpTo(requests);
  }

  async #countUpTo(requests: number): Promise<void> {
    const { policy, group, exchange } = this.#parts;
    const limit = limitOfCaller(policy, group, this.caller);
    if (limit !== "unlimited" && requests > limit) throw countsAsTooMany.error(requests, limit);
    for (; this.#counted < requests; this.#counted += 1) {
      await countForCaller(policy, group, exchange, this.caller);
    }
  }

  /** Counts a long body, before it is parsed: that takes long, too. */
  countBody(bytesPerRequest = BYTES_PER_REQUEST): Promise<void> | undefined {
    return this.countAs(1 + Math.floor(this.#parts.rawBody.length / bytesPerRequest));
  }

  countAgainst(kind: string, id: string, limit: RateLimit, subject?: string): void | Promise<void> {
    return countAgainst(this.#parts.policy, this.#parts.exchange, kind, id, limit, subject);
  }
}

function splitUrl(url: string): [path: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (header === "") throw idempotencyKeyEmpty.error();
  if (header.length > MAX_IDEMPOTENCY_KEY_CHARACTERS) throw idempotencyKeyTooLong.error(header.length);
  return header;
}
