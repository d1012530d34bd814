import type { TSchema } from "typebox";
import type { MemberRole, Scope } from "../snapshot.ts";
import type { Condition } from "./conditions.ts";

/** Requests a minute are counted per key and group (spec: Rate limits). */
export type RateLimitGroup = "match" | "impressions" | "management" | "analytics" | "explain";

/** The statuses that an operation lists itself. What every operation can answer (401, 429, 500, 503 …) is added to the document by itself. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 422;

/** One way in which an operation can refuse a request. */
export interface Refusal {
  status: RefusalStatus;
  /** Names the example in the document; unique within the status: `already_registered`. */
  name: string;
  /** When it happens, one sentence. */
  when: string;
  /** What the client then reads. */
  detail: string;
}

export interface Success {
  status: 200 | 201 | 204;
  description: string;
  /** Left out: no body. */
  schema?: TSchema;
  example?: unknown;
  /** The same as a table, for clients that send `Accept: text/csv`: an example of it. */
  csv?: string;
  /** Headers of this answer besides those that every answer has. */
  headers?: readonly HeaderName[];
}

/** The headers that single answers carry; described in `open-api/headers.ts`. */
export type HeaderName = "Link" | "Set-Cookie" | "X-No-Match-Reason";

export interface QueryParameter {
  name: string;
  schema: TSchema;
  example: unknown;
}

/** One method of one path: what the document says of it, and what the service that answers it mounts. */
export interface Operation {
  operationId: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base path: `/campaigns/{campaign_id}`. Its parameters are described in `operations/path-parameters.ts`. */
  path: `/${string}`;
  group: RateLimitGroup;
  /** What the key must be allowed; of several any one. Empty where no key may call. */
  scope: Scope | readonly Scope[];
  /**
   * Who may call. Left out: API keys with the scope, and sessions. `session`: signed-in users alone. `anyone`: no proof is
   * asked for, and requests count by client address.
   */
  caller?: "session" | "anyone";
  /** The least role that a session needs. Left out: `viewer` for GET, else `manager`. */
  role?: MemberRole;
  /** A few words. */
  summary: string;
  description: string;
  /** Goes beyond the base interface: clients of that need not know it. */
  addition?: true;
  /** The list can be read by pages: `limit`, `cursor` and the header `Link`. */
  paged?: true;
  /** Obeys `Idempotency-Key`. */
  idempotent?: true;
  query?: readonly QueryParameter[];
  /** Left out: a body is ignored. `optional`: a missing body is read as `{}`. */
  request?: { schema: TSchema; example: unknown; optional?: true };
  success: readonly Success[];
  refusals: readonly Refusal[];
}

/** The operations of one feature, with the names of the schemas that they share. */
export interface ApiFeature {
  tag: string;
  description: string;
  /** Component names and their schemas. A schema that occurs anywhere in the document is referred to by its name. */
  schemas: Readonly<Record<string, TSchema>>;
  /** Conditions between fields, by component: what the validators check by code, for whoever reads the document by machine. */
  conditions?: Readonly<Record<string, readonly Condition[]>>;
  /** Fields that go beyond the base interface, as `Component.field`. */
  additions?: readonly string[];
  operations: Readonly<Record<string, Operation>>;
}

/** The least role that a session needs for an operation. */
export function roleOf({ role, method }: Pick<Operation, "role" | "method">): MemberRole {
  return role ?? (method === "GET" ? "viewer" : "manager");
}

/** Keeps the names of the operations in the type, so that a service can take each by its name. */
export function defineFeature<const Feature extends ApiFeature>(feature: Feature): Feature {
  return feature;
}

export function refusal(status: RefusalStatus, name: string, when: string, detail: string): Refusal {
  return { status, name, when, detail };
}

/** The path in Express syntax, parameters in camelCase: `/campaigns/:campaignId`. */
export function expressPath(operation: Pick<Operation, "path">): string {
  return operation.path.replace(
    /\{([a-z_]+)\}/g,
    (_braces, name: string) =>
      `:${name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())}`,
  );
}
