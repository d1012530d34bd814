/** The TypeScript of the API: one interface per component, one method per operation. */

const REFERENCE = "#/components/schemas/";

const HEADER = `// Generated from packages/contracts by \`npm run generate:clients\`. Do not edit.
// biome-ignore-all format: generated
`;

export function typescriptApi({ schemas, operations }) {
  const interfaces = Object.entries(schemas).map(([name, schema]) => component(name, schema));
  return `${HEADER}
${interfaces.join("\n\n")}

/** Of every call. */
export interface CallOptions {
  /** How long the call may be retried after no answer or one that is not final. Default 0: one attempt. */
  retryForMs?: number;
}

export interface IdempotentCallOptions extends CallOptions {
  /** Names this call, for 24 hours: the same key gets the first answer. Default: a new one, kept over retries. */
  idempotencyKey?: string;
}

/** The calls of advertisers and developers. Each rejects with \`DiegeticError\` unless it succeeds. */
export interface ApiCalls {
${operations.map(method).join("\n")}
}

/** The calls whose answers may come in pages. */
export type PagedCall =
${operations
  .filter(({ isPaged }) => isPaged)
  .map(({ name }) => `  | ${JSON.stringify(name)}`)
  .join("\n")};

/** Each iterates over the answers of its call, page by page, to the last. \`retryForMs\` is for each page. */
export type ApiPages = {
  [Name in PagedCall]: (
    ...call: Parameters<ApiCalls[Name]>
  ) => AsyncGenerator<Awaited<ReturnType<ApiCalls[Name]>>, void>;
};
`;
}

export function typescriptRoutes({ operations }) {
  return `${HEADER}
import type { ApiCalls } from "./api.ts";

export interface OperationRoute {
  method: string;
  path: string;
  query: readonly string[];
  isIdempotent: boolean;
}

export const routes: Readonly<Record<keyof ApiCalls, OperationRoute>> = {
${operations.map(route).join("\n")}
};
`;
}

function component(name, schema) {
  const comment = doc(schema.description, "");
  if (schema.properties === undefined || isNullable(schema)) {
    return `${comment}export type ${name} = ${typeOf(schema, "")};`;
  }
  return `${comment}export interface ${name} ${typeOf(schema, "")}`;
}

function typeOf(schema, indent) {
  if (schema.$ref !== undefined) return schema.$ref.slice(REFERENCE.length);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const types = [schema.type].flat().map((type) => plainType(type, schema, indent));
  return types.join(" | ");
}

function plainType(type, schema, indent) {
  switch (type) {
    case "integer":
      return "number";
    case "array": {
      const entry = typeOf(schema.items, indent);
      return /^[A-Za-z]+$/.test(entry) ? `${entry}[]` : `(${entry})[]`;
    }
    case "object":
      return objectType(schema, indent);
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    default:
      throw new Error(`no TypeScript for the JSON type ${type}`);
  }
}

function objectType(schema, indent) {
  if (schema.properties === undefined) {
    const [values] = Object.values(schema.patternProperties ?? {});
    return `Record<string, ${values === undefined ? "unknown" : typeOf(values, indent)}>`;
  }
  const inner = `${indent}  `;
  const fields = changeableFields(schema).map(([name, field]) => {
    const mark = schema.required?.includes(name) ? "" : "?";
    return `${doc(field.description, inner)}${inner}${name}${mark}: ${typeOf(field, inner)};`;
  });
  return `{\n${fields.join("\n")}\n${indent}}`;
}

/** Omits the fields that a PATCH accepts only with their current value, because callers have no reason to send them. */
export function changeableFields(schema) {
  return Object.entries(schema.properties).filter(([, field]) => field.readOnly !== true);
}

function isNullable(schema) {
  return Array.isArray(schema.type) && schema.type.includes("null");
}

function doc(text, indent) {
  return text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "* /")} */\n`;
}

function method(operation) {
  const { name, summary, pathParameters, query, body, isBodyRequired, isIdempotent, answer } = operation;
  const fields = [
    ...pathParameters.map((parameter) => `${parameter.name}: string`),
    ...query.map((parameter) => `${parameter.name}?: ${typeOf(parameter.schema, "")}`),
    ...(body === undefined ? [] : [`body${isBodyRequired ? "" : "?"}: ${typeOf(body, "")}`]),
  ];
  const options = isIdempotent ? "IdempotentCallOptions" : "CallOptions";
  const call = fields.length === 0 ? options : `{ ${fields.join("; ")} } & ${options}`;
  const needsCall = pathParameters.length > 0 || isBodyRequired;
  const result = answer === undefined ? "void" : typeOf(answer, "");
  return `  /** ${summary}. */\n  ${name}(call${needsCall ? "" : "?"}: ${call}): Promise<${result}>;`;
}

function route({ name, method, path, query, isIdempotent }) {
  const names = query.map((parameter) => JSON.stringify(parameter.name)).join(", ");
  return `  ${name}: { method: "${method}", path: "${path}", query: [${names}], isIdempotent: ${isIdempotent} },`;
}
