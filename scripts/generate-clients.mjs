/**
 * Writes the types and calls of the client libraries from the schemas in packages/contracts, which must be built.
 * With `--check` it writes nothing and fails when a file is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openApiDocument } from "../packages/contracts/dist/index.js";
import { pythonCalls, pythonTypes } from "./lib/client-python.mjs";
import { typescriptApi, typescriptRoutes } from "./lib/client-typescript.mjs";

/** The client has handwritten methods for these, with a time budget and an outbox. */
const SERVING = ["matchAd", "recordImpression"];

const document = openApiDocument({ basePath: "" });
const api = { schemas: schemasForKeys(), operations: operations() };
const files = {
  "packages/client/src/generated/api.ts": typescriptApi(api),
  "packages/client/src/generated/routes.ts": typescriptRoutes(api),
  "clients/python/src/diegetic/_types.py": pythonTypes(api),
  "clients/python/src/diegetic/_calls.py": pythonCalls(api),
};

const { check: isCheck } = parseArgs({ options: { check: { type: "boolean" } } }).values;
for (const [path, text] of Object.entries(files)) {
  const file = new URL(`../${path}`, import.meta.url);
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
  if (isCheck) {
    process.stderr.write(`${path} does not match packages/contracts. Run: npm run generate:clients\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
  }
}

/** Whether API keys can call the operation; the clients have no sessions. */
function isForKeys({ security }) {
  return security.some(({ apiKey }) => apiKey !== undefined);
}

/**
 * Every schema except those that only session operations use, in the order of the document. Clients throw errors of their
 * own, and the mark of additions means nothing to them.
 */
function schemasForKeys() {
  const { Error: _error, ...schemas } = withoutAdditionMarks(document.components.schemas);
  const operations = Object.values(document.paths).flatMap(Object.values);
  const ofKeys = schemasOf(operations.filter(isForKeys));
  const ofSessions = schemasOf(operations.filter((operation) => !isForKeys(operation)));
  return Object.fromEntries(
    Object.entries(schemas).filter(([name]) => ofKeys.has(name) || !ofSessions.has(name)),
  );
}

/** The names of all schemas that the value refers to, directly or indirectly. */
function schemasOf(value, found = new Set()) {
  for (const [, name] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
    if (found.has(name)) continue;
    found.add(name);
    schemasOf(document.components.schemas[name], found);
  }
  return found;
}

/** The operations as the generators need them, in the order of the document. */
function operations() {
  const found = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (SERVING.includes(operation.operationId)) continue;
      if (!isForKeys(operation)) continue;
      const parameters = (operation.parameters ?? []).map(resolve);
      const query = parameters.filter((parameter) => parameter.in === "query");
      const [answer] = Object.entries(operation.responses)
        .filter(([status]) => status.startsWith("2"))
        .map(([, response]) => response.content?.["application/json"]?.schema);
      found.push({
        name: operation.operationId,
        summary: operation.summary,
        method: method.toUpperCase(),
        path,
        pathParameters: parameters.filter((parameter) => parameter.in === "path"),
        query,
        isPaged: query.some(({ name }) => name === "cursor"),
        isIdempotent: parameters.some(({ name }) => name === "Idempotency-Key"),
        body: operation.requestBody?.content["application/json"].schema,
        isBodyRequired: operation.requestBody?.required === true,
        answer,
      });
    }
  }
  return found;
}

function resolve(parameter) {
  if (parameter.$ref === undefined) return parameter;
  return document.components.parameters[parameter.$ref.split("/").at(-1)];
}

function withoutAdditionMarks(schemas) {
  return JSON.parse(JSON.stringify(schemas).replaceAll('"description":"Addition. ', '"description":"'));
}
