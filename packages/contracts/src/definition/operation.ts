import type { TSchema } from "typebox";
import { HttpError, InvalidInput } from "../http-error.ts";
import type { Condition } from "./conditions.ts";
import type { MemberRole, Scope } from "./enumerations.ts";

/** Requests per minute are counted by key and group (docs/specification.md#19-rate-limits). */
export type RateLimitGroup = "match" | "impressions" | "management" | "analytics" | "explain";

/** Statuses of named errors. The document adds those of every operation (429, 500, 503 …). */
type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422;

/** One reason for which an operation refuses a request. */
export interface Refusal {
  status: RefusalStatus;
  /** Name of the example in the document; unique within the status: `already_registered`. */
  name: string;
  /** The condition, as one sentence. */
  when: string;
  /** The detail that the client receives. */
  detail: string;
}

/** An error that handlers throw: a new error with the values of its sentence. */
export interface NamedError<Values extends readonly unknown[]> extends Refusal {
  error(...values: Values): HttpError;
  /** The same with other values in the document. */
  withExample(...values: Values): NamedError<Values>;
}

export interface Success {
  status: 200 | 201 | 204;
  description: string;
  /** Absent: no body. */
  schema?: TSchema;
  example?: unknown;
  /** Example of the same as a table, for clients that send `Accept: text/csv`. */
  csv?: string;
  /** Headers of this answer besides the common ones; described in `open-api/headers.ts`. */
  headers?: readonly ("Set-Cookie" | "X-No-Match-Reason")[];
}

export interface QueryParameter {
  name: string;
  schema: TSchema;
  example: unknown;
}

/** One method of one path: what the document describes and the service mounts. */
export interface Operation {
  operationId: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base path: `/campaigns/{campaign_id}`. Its parameters are described in `open-api/parameters.ts`. */
  path: `/${string}`;
  group: RateLimitGroup;
  /** Required scope of the key; of several, any one. Empty: no key may call. */
  scope: Scope | readonly Scope[];
  /**
   * Who may call. Absent: API keys with the scope, and sessions. `session`: only signed-in users. `anyone`: public;
   * requests count by client address.
   */
  callers?: "session" | "anyone";
  /** Minimum role of a session. Absent: `viewer` for GET, otherwise `manager`. */
  role?: MemberRole;
  /** A few words. */
  summary: string;
  description: string;
  /** Extends the base interface: its clients need not know this. */
  addition?: true;
  /** The list supports paging: `limit`, `cursor` and the header `Link`. */
  paged?: true;
  /** Supports `Idempotency-Key`. */
  idempotent?: true;
  /** The body counts as one more request for each of these. Default: 16 KiB. */
  bodyBytesPerRequest?: number;
  /** Answers while the store that counts requests is unavailable; they are not counted then. */
  answersWithoutLimits?: true;
  query?: readonly QueryParameter[];
  /** Absent: a body is ignored. `optional`: a missing body counts as `{}`. */
  request?: { schema: TSchema; example: unknown; optional?: true };
  success: readonly Success[];
  refusals: readonly Refusal[];
}

/** A request that the service sends to a webhook, by POST. */
export interface SentRequest {
  operationId: string;
  summary: string;
  description: string;
  request: { schema: TSchema; example: unknown };
  /** Headers of the request. */
  headers: Readonly<Record<string, { description: string; example: string }>>;
  /** What the receiver answers, by status. */
  responses: Readonly<Record<string, string>>;
}

/** The operations of one feature, and the names of their shared schemas. */
export interface ApiFeature {
  tag: string;
  description: string;
  /** Component names and their schemas. The document references a named schema wherever it occurs. */
  schemas: Readonly<Record<string, TSchema>>;
  /** Conditions between fields, by component, for machine readers; validators check them in code. */
  conditions?: Readonly<Record<string, readonly Condition[]>>;
  /** Fields that extend the base interface, as `Component.field`. */
  additions?: readonly string[];
  operations: Readonly<Record<string, Operation>>;
  /** What the service sends, by a name of the document's `webhooks`. */
  sentRequests?: Readonly<Record<string, SentRequest>>;
}

/** Minimum role of a session for an operation. */
export function roleOf({ role, method }: Pick<Operation, "role" | "method">): MemberRole {
  return role ?? (method === "GET" ? "viewer" : "manager");
}

/** Keeps operation names in the type, so that a service can access each by name. */
export function defineFeature<const Feature extends ApiFeature>(feature: Feature): Feature {
  return feature;
}

/** A part of a feature's operations, of which several make the feature. */
export function defineOperations<const Operations extends Readonly<Record<string, Operation>>>(
  operations: Operations,
): Operations {
  return operations;
}

/** An operation, by its method and path: `operation("GET /campaigns", { … })`. Its type keeps what is given. */
export function operation<
  Method extends Operation["method"],
  Path extends Operation["path"],
  const Rest extends Omit<Operation, "method" | "path">,
>(route: `${Method} ${Path}`, rest: Rest) {
  const [method, path] = route.split(" ") as [Method, Path];
  return { method, path, ...rest };
}

/** 200 with a body. */
export function ok<Schema extends TSchema>(
  description: string,
  schema: Schema,
  example: unknown,
  more?: Pick<Success, "csv" | "headers">,
) {
  return { status: 200, description, schema, example, ...more } as const;
}

/** 201 with a body. */
export function created<Schema extends TSchema>(
  description: string,
  schema: Schema,
  example: unknown,
  more?: Pick<Success, "headers">,
) {
  return { status: 201, description, schema, example, ...more } as const;
}

/** 204: no body. */
export function noContent(description: string, more?: Pick<Success, "headers">) {
  return { status: 204, description, ...more } as const;
}

/**
 * Defines an error once: the document lists it, and handlers throw `error()`.
 * @param sentence may take values
 * @param example values of the document's example
 */
export function refusal<Values extends readonly unknown[] = []>(
  status: RefusalStatus,
  name: string,
  when: string,
  sentence: string | ((...values: Values) => string),
  ...example: NoInfer<Values>
): NamedError<Values> {
  const say = (values: Values) => (typeof sentence === "string" ? sentence : sentence(...values));
  return {
    status,
    name,
    when,
    detail: say(example),
    error: (...values) => {
      if (status === 400 || status === 422) return new InvalidInput(status, say(values));
      return new HttpError(status, say(values), status === 401 ? { "WWW-Authenticate": "Bearer" } : {});
    },
    withExample: (...other) => refusal(status, name, when, sentence, ...other),
  };
}

/** The path in Express syntax, parameters in camelCase: `/campaigns/:campaignId`. */
export function expressPath(operation: Pick<Operation, "path">): string {
  return operation.path.replace(
    /\{([a-z_]+)\}/g,
    (_braces, name: string) =>
      `:${name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())}`,
  );
}
