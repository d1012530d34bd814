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
  return `${HEADER}
from typing import Any, Literal, Optional, cast

from . import _types as t
from ._transport import quote as _quote


class Calls:
    """The calls of advertisers and developers. Each raises DiegeticError unless it succeeds."""

    def _call(
        self, method: str, path: str, query: dict[str, Any], body: Any, key: Optional[str], idempotent: bool,
        retry_for_ms: float,
    ) -> Any:
        raise NotImplementedError

${operations.map((operation) => method(operation, false)).join("\n")}

class AsyncCalls:
    """The calls of advertisers and developers. Each raises DiegeticError unless it succeeds."""

    async def _call(
        self, method: str, path: str, query: dict[str, Any], body: Any, key: Optional[str], idempotent: bool,
        retry_for_ms: float,
    ) -> Any:
        raise NotImplementedError

${operations
  .map((operation) => method(operation, true))
  .join("\n")
  .trimEnd()}
`;
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
  const { name, summary, pathParameters, query, body, isBodyRequired, isIdempotent, answer } = operation;
  const typed = (schema) => typeOf(schema, "", [], "t.");
  const parameters = [
    "self",
    ...pathParameters.map((parameter) => `${parameter.name}: str`),
    ...(body === undefined
      ? []
      : [isBodyRequired ? `body: ${typed(body)}` : `body: Optional[${typed(body)}] = None`]),
    "*",
    ...query.map((parameter) => `${pythonName(parameter.name)}: Optional[${typed(parameter.schema)}] = None`),
    ...(isIdempotent ? ["idempotency_key: Optional[str] = None"] : []),
    "retry_for_ms: float = 0",
  ];
  const path = pathParameters.length === 0 ? `"${operation.path}"` : filledPath(operation);
  const queries = query.map(({ name: key }) => `"${key}": ${pythonName(key)}`).join(", ");
  const key = isIdempotent ? "idempotency_key" : "None";
  const result = answer === undefined ? "None" : typed(answer);
  const call = `${isAsync ? "await " : ""}self._call(
            "${operation.method}", ${path}, {${queries}},
            ${body === undefined ? "None" : isBodyRequired ? "body" : "body or {}"}, ${key}, ${isIdempotent ? "True" : "False"}, retry_for_ms,
        )`;
  return `    ${isAsync ? "async " : ""}def ${snake(name)}(
        ${parameters.join(", ")},
    ) -> ${result}:
        """${summary}."""
        return cast("${result.replaceAll('"', "'")}", ${call})
`;
}

function pythonName(name) {
  return KEYWORDS.includes(name) ? `${name}_` : name;
}

function filledPath({ path, pathParameters }) {
  const names = pathParameters.map(({ name }) => `${name}=_quote(${name})`);
  return `"${path}".format(${names.join(", ")})`;
}
