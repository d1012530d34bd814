import { documentedFeatures } from "../api/index.ts";
import { type Operation, roleOf, type SentRequest } from "../definition/operation.ts";
import { headers } from "./headers.ts";
import { parametersOf, sharedParameters } from "./parameters.ts";
import { responsesOf, sharedResponses } from "./responses.ts";
import { componentSchemas, documented, type JsonSchema } from "./schemas.ts";

interface OpenApiDocument {
  openapi: "3.1.1";
  info: JsonSchema;
  servers: JsonSchema[];
  security: JsonSchema[];
  tags: JsonSchema[];
  /** Path → method in lower case → operation. */
  paths: Record<string, Record<string, JsonSchema>>;
  /** Requests that the service sends, likewise. */
  webhooks: Record<string, Record<string, JsonSchema>>;
  components: Record<string, Record<string, JsonSchema>>;
}

const DESCRIPTION = `\
Diegetic places advertisers' content into games, as things that belong to the game's world.

**A game** enables placements once (\`POST /placements/{game_id}\`), asks for an ad while it makes a scene (\`POST /match\`), inserts the
\`narrative_hook\`, and records the impression when the player has seen it (\`POST /impressions\`).
**An advertiser** registers, deposits, creates a campaign with a creative, and activates it.

- **Keys.** Every request carries \`Authorization: Bearer <API_KEY>\`. A key has scopes; each operation names the one it needs.
- **Sessions.** The dashboard signs users in by a cookie, which acts for one account like a key and needs no scopes, but a role: \`viewer\` reads, simulates
  and explains, \`manager\` changes everything but members and keys, \`owner\` does everything. A request with an \`Authorization\` header ignores the cookie. Except GET
  and HEAD, a request with the cookie must come from the dashboard's own origin, as \`Origin\` and \`Sec-Fetch-Site\` say.
- **Money** is in cents (\`*_cents\`). Requests name whole cents. So do answers: balances and earnings are rounded down and what was spent is
  rounded up, so that an answer never promises more than there is; analytics round to the nearest cent. What one impression was charged and
  the ledger are exact instead: they have up to three decimals.
- **Errors** are always exactly \`{"detail": "…"}\`: a sentence that names the field, what came and what is allowed. 400 is malformed, 422
  is well-formed but not allowed. Unknown paths are 404; a method that a path does not have is 405, with \`Allow\` (the component \`MethodNotAllowed\`).
  \`HEAD\` is answered wherever \`GET\` is, without the body; \`OPTIONS\` is 405, since the API is not called from pages of other origins.
- **Bodies** are JSON in UTF-8, at most 256 KiB. Unknown fields are ignored, as unknown query parameters are. In a create \`null\` is like leaving the field out.
- **Limits** count per key and group of operations in windows of one minute. \`X-RateLimit-*\` is on every answer.
  A request counts as one more for each 16 KiB of its body.
  Requests without a valid key count by client address, 100 a minute. What is not valid HTTP counts separately, by address and process:
  it is answered 400, 408, 431 or 429, and the connection is closed.
- **Retries.** After 429 and 503 wait for \`Retry-After\` seconds; after 500 retry with growing pauses. \`Idempotency-Key\` makes every
  creating POST safe to retry: a repetition gets the first answer again. A change that restricts (a PATCH, a pause, a new target or rule; disabling, revoking, deleting) is answered
  when every match instance applies it. If that takes too long, the answer is 503, and its detail says that the change is stored: it comes into force by itself.
- **Additions** are marked: a client of the base interface need not know them.`;

/** The OpenAPI 3.1 document of the whole API, from the mounted operations and the schemas that validate. */
export function openApiDocument(options: { basePath: string }): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "Diegetic API",
      version: "1.0.0",
      summary: "Ads that belong to the game's world.",
      description: DESCRIPTION,
    },
    servers: [{ url: options.basePath === "" ? "/" : options.basePath, description: "This service." }],
    security: [{ apiKey: [] }],
    tags: documentedFeatures.map(({ tag, description }) => ({ name: tag, description })),
    paths: paths(),
    webhooks: webhooks(),
    components: {
      schemas: componentSchemas(),
      parameters: sharedParameters,
      headers: headers as unknown as Record<string, JsonSchema>,
      responses: sharedResponses,
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key, igk_…, from the dashboard or from `npm run key`.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "diegetic_session",
          description: "The cookie of a signed-in browser. Over https its name begins with __Host-.",
        },
      },
    },
  };
}

function paths(): OpenApiDocument["paths"] {
  const result: OpenApiDocument["paths"] = {};
  for (const { tag, operations } of documentedFeatures) {
    for (const operation of Object.values(operations)) {
      result[operation.path] = {
        ...result[operation.path],
        [operation.method.toLowerCase()]: describe(operation, tag),
      };
    }
  }
  return result;
}

function webhooks(): OpenApiDocument["webhooks"] {
  const result: OpenApiDocument["webhooks"] = {};
  for (const { tag, sentRequests = {} } of documentedFeatures) {
    for (const [name, sent] of Object.entries(sentRequests)) result[name] = { post: describeSent(sent, tag) };
  }
  return result;
}

function describeSent(sent: SentRequest, tag: string): JsonSchema {
  const { operationId, summary, description, request } = sent;
  return {
    operationId,
    tags: [tag],
    summary,
    description: `Addition. ${description}`,
    "x-addition": true,
    security: [],
    parameters: Object.entries(sent.headers).map(([name, header]) => ({
      name,
      in: "header",
      required: true,
      schema: { type: "string" },
      ...header,
    })),
    requestBody: {
      required: true,
      content: { "application/json": { schema: documented(request.schema), example: request.example } },
    },
    responses: Object.fromEntries(
      Object.entries(sent.responses).map(([status, meaning]) => [status, { description: meaning }]),
    ),
  };
}

function describe(operation: Operation, tag: string): JsonSchema {
  const parameters = parametersOf(operation);
  const { request } = operation;
  return {
    operationId: operation.operationId,
    tags: [tag],
    summary: operation.summary,
    description: [
      operation.addition ? `Addition. ${operation.description}` : operation.description,
      `${accessOf(operation)} Rate limit: \`${operation.group}\`.`,
    ].join("\n\n"),
    ...(operation.addition && { "x-addition": true }),
    "x-rate-limit-group": operation.group,
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(request !== undefined && {
      requestBody: {
        required: request.optional !== true,
        content: { "application/json": { schema: documented(request.schema), example: request.example } },
      },
    }),
    responses: responsesOf(operation),
  };
}

function securityOf({ callers, scope }: Operation): JsonSchema[] {
  if (callers === "anyone") return [];
  const session = { session: [] };
  return callers === "session" ? [session] : [...[scope].flat().map((one) => ({ apiKey: [one] })), session];
}

function accessOf(operation: Operation): string {
  if (operation.callers === "anyone") return "For anyone, counted by client address.";
  const role = `Role of a session: \`${roleOf(operation)}\`.`;
  if (operation.callers === "session") return `For signed-in users alone. ${role}`;
  const scopes = [operation.scope].flat().map((scope) => `\`${scope}\``);
  return `Scope: ${scopes.join(" or ")}. ${role}`;
}
