import { expressPath, type Operation } from "@diegetic/contracts";
import type { Endpoint } from "./endpoint.ts";

/** What answers an operation of the API document: method, path, group, scope and body are the document's. */
export function endpoint(operation: Operation, handle: Endpoint["handle"]): Endpoint {
  const { method, group, scope, request } = operation;
  return { method, path: expressPath(operation), group, scope, body: bodyOf(request), handle };
}

function bodyOf(request: Operation["request"]): "json" | "optional" | "none" {
  if (request === undefined) return "none";
  return request.optional ? "optional" : "json";
}
