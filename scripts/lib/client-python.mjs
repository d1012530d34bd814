/** The Python of the API: one TypedDict per component, one method per operation. */

import { changeableFields } from "./client-typescript.mjs";

const REFERENCE = "#/components/schemas/";
const HEADER = `# Generated from packages/contracts by \`npm run generate:clients\`. Do not edit.
from __future__ import annotations
`;

/** Keywords that may be a field's or parameter's name. */
const KEYWORDS = ["from", "import", "class", "global", "in", "is", "not", "or", "and", "pass", "with", "as"];

export function pythonTypes({ schemas }) {
  const nested = [];
  const classes = Object.entries(schemas).map(([name, schema]) => component(name, schema, nested));
  return `${HEADER}
from typing import Any, Literal, NotRequired, Optional, TypedDict

${[...nested, ...classes].join("\n\n\n")}
`;
}

export function pythonCalls({ operations }) {
  const paged = operations.filter(({ isPaged }) => isPaged);
  return `${HEADER}
from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal, Optional, cast

from . import _types as t
from ._transport import Answer, quote as _quote


class Calls:
    """The calls of advertisers and developers. Each raises DiegeticError unless it succeeds."""

    def _call(
        self, method: str, path: str, query: dict[str, Any], body: Any, key: Optional[str], idempotent: bool,
        retry_for_ms: float,
    ) -> Answer:
        raise NotImplementedError

${operations.map((operation) => method(operation, false)).join("\n")}

${pagesClass("Pages", "Iterator", paged)}

class AsyncCalls:
    """The calls of advertisers and developers. Each raises DiegeticError unless it succeeds."""

    async def _call(
        self, method: str, path: str, query: dict[str, Any], body: Any, key: Optional[str], idempotent: bool,
        retry_for_ms: float,
    ) -> Answer:
        raise NotImplementedError

${operations.map((operation) => method(operation, true)).join("\n")}

${pagesClass("AsyncPages", "AsyncIterator", paged).trimEnd()}
`;
}

function pagesClass(name, iterator, operations) {
  return `class ${name}:
    """Each iterates over the answers of its call, page by page, to the last. \`retry_for_ms\` is for each page."""

    def _read(self, path: str, query: dict[str, Any], retry_for_ms: float) -> ${iterator}[Any]:
        raise NotImplementedError

${operations.map((operation) => pagesMethod(operation, iterator)).join("\n")}`;
}

function component(name, schema, nested) {
  if (schema.properties !== undefined) return typedDict(name, schema, nested);
  return `${name} = ${typeOf(schema, `${name}Value`, nested)}`;
}

function typedDict(name, schema, nested) {
  const fields = changeableFields(schema).map(([field, value]) => {
    const type = typeOf(value, `${name}${pascal(field)}`, nested);
    return [field, schema.required?.includes(field) ? type : `NotRequired[${type}]`];
  });
  const comment = schema.description === undefined ? "" : `    """${schema.description}"""\n\n`;
  if (!fields.some(([field]) => KEYWORDS.includes(field))) {
    const lines = fields.map(([field, type]) => `    ${field}: ${type}`);
    return `class ${name}(TypedDict):\n${comment}${lines.join("\n")}`;
  }
  // A keyword cannot be an attribute of a class.
  const lines = fields.map(
    ([field, type]) => `        "${field}": ${JSON.stringify(type.replaceAll('"', "'"))},`,
  );
  return `${name} = TypedDict(\n    "${name}",\n    {\n${lines.join("\n")}\n    },\n)`;
}

function typeOf(schema, name, nested, prefix = "") {
  if (schema.$ref !== undefined) return prefix + schema.$ref.slice(REFERENCE.length);
  const types = [schema.type].flat();
  const plain = plainType(
    types.find((type) => type !== "null"),
    schema,
    name,
    nested,
    prefix,
  );
  return types.includes("null") ? `Optional[${plain}]` : plain;
}

function plainType(type, schema, name, nested, prefix) {
  if (schema.enum !== undefined) {
    const values = schema.enum.filter((value) => value !== null);
    return `Literal[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
  }
  switch (type) {
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "string":
      return "str";
    case "array":
      return `list[${typeOf(schema.items, `${name}Entry`, nested, prefix)}]`;
    case "object": {
      if (schema.properties === undefined) {
        const [values] = Object.values(schema.patternProperties ?? {});
        return `dict[str, ${values === undefined ? "Any" : typeOf(values, name, nested)}]`;
      }
      nested.push(typedDict(name, schema, nested));
      return name;
    }
    default:
      throw new Error(`no Python for the JSON type ${type}`);
  }
}

function pascal(name) {
  return name
    .split("_")
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join("");
}

/** createCampaign → create_campaign */
function snake(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function method(operation, isAsync) {
  const { name, summary, body, isBodyRequired, isIdempotent, answer } = operation;
  const typed = (schema) => typeOf(schema, "", [], "t.");
  const result = answer === undefined ? "None" : typed(answer);
  const key = isIdempotent ? "idempotency_key" : "None";
  const call = `self._call(
            "${operation.method}", ${pathOf(operation)}, {${queriesOf(operation)}},
            ${body === undefined ? "None" : isBodyRequired ? "body" : "body or {}"}, ${key}, ${isIdempotent ? "True" : "False"}, retry_for_ms,
        )`;
  return `    ${isAsync ? "async " : ""}def ${snake(name)}(
        ${parametersOf(operation)},
    ) -> ${result}:
        """${summary}."""
        return cast("${result.replaceAll('"', "'")}", ${isAsync ? `(await ${call})` : call}.body)
`;
}

function pagesMethod(operation, iterator) {
  const result = `${iterator}[${typeOf(operation.answer, "", [], "t.")}]`;
  return `    def ${snake(operation.name)}(
        ${parametersOf(operation)},
    ) -> ${result}:
        """${operation.summary}."""
        return self._read(${pathOf(operation)}, {${queriesOf(operation)}}, retry_for_ms)
`;
}

function parametersOf({ pathParameters, query, body, isBodyRequired, isIdempotent }) {
  const typed = (schema) => typeOf(schema, "", [], "t.");
  return [
    "self",
    ...pathParameters.map((parameter) => `${parameter.name}: str`),
    ...(body === undefined
      ? []
      : [isBodyRequired ? `body: ${typed(body)}` : `body: Optional[${typed(body)}] = None`]),
    "*",
    ...query.map((parameter) => `${pythonName(parameter.name)}: Optional[${typed(parameter.schema)}] = None`),
    ...(isIdempotent ? ["idempotency_key: Optional[str] = None"] : []),
    "retry_for_ms: float = 0",
  ].join(", ");
}

function pathOf(operation) {
  return operation.pathParameters.length === 0 ? `"${operation.path}"` : filledPath(operation);
}

function queriesOf({ query }) {
  return query.map(({ name }) => `"${name}": ${pythonName(name)}`).join(", ");
}

function pythonName(name) {
  return KEYWORDS.includes(name) ? `${name}_` : name;
}

function filledPath({ path, pathParameters }) {
  const names = pathParameters.map(({ name }) => `${name}=_quote(${name})`);
  return `"${path}".format(${names.join(", ")})`;
}
