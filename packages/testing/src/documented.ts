import { setTimeout as sleep } from "node:timers/promises";
import { openApiDocument } from "@diegetic/contracts";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formatsPlugin from "ajv-formats";
import type { Response, Test } from "supertest";

/** The OpenAPI document; references are resolved on access. */
interface Node {
  $ref?: string;
  description?: string;
  required?: boolean;
  schema?: object;
  headers?: Record<string, Node>;
  content?: Record<string, { schema: object }>;
  responses?: Record<string, Node>;
}

/** An answer as seen by a client. */
export interface SeenAnswer {
  method: string;
  /** With the base path, without the query. */
  path: string;
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  /** Body as sent; empty: none. */
  text: string;
}

const BASE_PATH = "/api";
const MATCH_TIER_PATHS = new Set([`${BASE_PATH}/match`, `${BASE_PATH}/impressions`]);
/** Of an instance whose lease or snapshot has expired, before a request or during it. */
export const STALE_SENTENCE = "The match tier is not up to date: try again.";
const MAX_REPEATS = 3;
const document = JSON.parse(JSON.stringify(openApiDocument({ basePath: BASE_PATH })));
const ajv = new Ajv2020({ strict: false, coerceTypes: false });
formatsPlugin.default(ajv);
ajv.addFormat("country-code", true).addFormat("iso-date", true);
ajv.addSchema(document, "api");
const compiled = new Map<string, ValidateFunction>();

/** Paths without parameters first: `/affinities/bulk` before `/affinities/{affinity_id}`. */
const paths = Object.keys(document.paths)
  .sort((left, right) => left.split("{").length - right.split("{").length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, "[^/]+")}$`) }));

/**
 * Makes a supertest request fail when the OpenAPI document does not allow its answer. Repeats what `repeatAfterMs` names;
 * `.retry(0)` takes the first answer.
 */
export function documented(test: Test): Test {
  let waitMs: number | undefined;
  test.retry(MAX_REPEATS, (_error, response: Response | undefined) => {
    waitMs = response && repeatAfterMs(seen(response));
    return waitMs !== undefined;
  });
  // Superagent repeats at once, and has no setting for it.
  const repeating = test as unknown as { _retry(): void };
  const repeat = repeating._retry.bind(test);
  repeating._retry = () => void setTimeout(repeat, waitMs);
  return test.expect((response: Response) => {
    const answer = seen(response);
    const problem = undocumented(answer);
    if (problem !== undefined) throw new Error(`${answer.method} ${answer.path}: ${problem}`);
  });
}

/**
 * When to repeat a request, because the lease of the match instance had run out, as on a busy machine it can at any request;
 * undefined: every other refusal is a finding. Changes of management are not repeated: they may be stored.
 */
function repeatAfterMs({ method, path, status, headers, text }: SeenAnswer): number | undefined {
  const waitMs = retryAfterMs(status, headers["retry-after"]);
  const isOfMatchTier = method === "POST" && MATCH_TIER_PATHS.has(path);
  // A proxy in front of an unavailable service answers nothing else.
  if (waitMs === undefined || !isOfMatchTier || text === "") return undefined;
  return JSON.parse(text).detail === STALE_SENTENCE ? waitMs : undefined;
}

/** How long a 503 asks to wait; undefined: another answer, or none that asks. */
export function retryAfterMs(status: number, retryAfter: string | null | undefined): number | undefined {
  return status === 503 && retryAfter ? Number(retryAfter) * 1_000 : undefined;
}

/** Sends as a client does. */
export function sendRepeatedly<Answer extends SeenAnswer>(send: () => Promise<Answer>): Promise<Answer> {
  return repeatedly(send, repeatAfterMs);
}

/** Sends until the answer needs no repetition, a few times at most. */
export async function repeatedly<T>(
  send: () => PromiseLike<T>,
  waitMsOf: (answer: T) => number | undefined,
): Promise<T> {
  let answer = await send();
  for (let repeats = 0; repeats < MAX_REPEATS; repeats += 1) {
    const waitMs = waitMsOf(answer);
    if (waitMs === undefined) break;
    await sleep(waitMs);
    answer = await send();
  }
  return answer;
}

function seen(response: Response): SeenAnswer {
  const { method, url } = response.request as unknown as { method: string; url: string };
  const { status, headers, text = "" } = response;
  return { method, path: new URL(url).pathname, status, headers, text };
}

/** Why the document does not allow the answer; undefined: it does. Ignores answers outside the base path. */
export function undocumented(answer: SeenAnswer): string | undefined {
  if (!answer.path.startsWith(`${BASE_PATH}/`)) return undefined;
  const path = paths.find(({ pattern }) => pattern.test(answer.path.slice(BASE_PATH.length)))?.path;
  const methods: Record<string, Node> = path === undefined ? {} : document.paths[path];
  const method = answer.method === "HEAD" ? "get" : answer.method.toLowerCase();
  const operation = methods[method];
  if (operation === undefined) return unknownOperation(answer, Object.keys(methods));
  const response = resolve(operation.responses?.[answer.status]);
  if (response === undefined) return `the status ${answer.status} is not listed: ${answer.text}`;
  return wrongHeaders(response, answer) ?? wrongBody(response, answer);
}

/** An undocumented path or method: 404, or 405 with exactly the documented methods. */
function unknownOperation(answer: SeenAnswer, methods: string[]): string | undefined {
  const expected = methods.length === 0 ? 404 : 405;
  const always = [400, 401, 429, 503];
  if (![expected, ...always].includes(answer.status)) return `${answer.status} instead of ${expected}`;
  if (answer.status === 405) {
    const allowed = (answer.headers.allow ?? "").toLowerCase().split(", ").sort();
    // HEAD equals GET without the body.
    const possible = methods.includes("get") ? [...methods, "head"] : methods;
    if (allowed.join() !== possible.sort().join()) return `Allow is ${answer.headers.allow}`;
  }
  const anyError = resolve({ $ref: "#/components/responses/InternalError" });
  return anyError && (wrongHeaders(anyError, answer) ?? wrongBody(anyError, answer));
}

function wrongHeaders(response: Node, answer: SeenAnswer): string | undefined {
  for (const [name, reference] of Object.entries(response.headers ?? {})) {
    const header = resolve(reference);
    // Node returns several cookies as a list.
    const text = [answer.headers[name.toLowerCase()]].flat().join(", ") || undefined;
    if (text === undefined) {
      if (header?.required) return `${answer.status} lacks the header ${name}`;
      continue;
    }
    const { type } = (header?.schema ?? {}) as { type?: string };
    const value = type === "integer" && /^\d+$/.test(text) ? Number(text) : text;
    const check = validatorOf({ $ref: `#/components/headers/${name}/schema` });
    if (!check(value)) return `the header ${name} is ${text}`;
  }
  return undefined;
}

function wrongBody(response: Node, answer: SeenAnswer): string | undefined {
  const content = response.content?.["application/json"];
  if (content === undefined) return answer.text === "" ? undefined : `${answer.status} has a body`;
  if (answer.method === "HEAD") return answer.text === "" ? undefined : "HEAD has a body";
  const type = answer.headers["content-type"] ?? "";
  if (/^text\/csv\b/.test(type) && response.content?.["text/csv"] !== undefined) return undefined;
  if (!/^application\/json\b/.test(type)) return `Content-Type is ${type}`;
  const check = validatorOf(content.schema);
  if (check(JSON.parse(answer.text))) return undefined;
  return `${answer.status} ${answer.text} is not what is documented: ${ajv.errorsText(check.errors)}`;
}

function resolve(node: Node | undefined): Node | undefined {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .split("/")
    .slice(1)
    .reduce((inner, name) => inner[name], document);
}

/** Every body in the document is a reference, or a list of references. */
function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"api#');
  const check = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, check);
  return check;
}
