import { expressPath, type Operation, roleOf } from "@diegetic/contracts";
import type { Endpoint } from "./endpoint.ts";

/** What answers an operation of the API document: method, path, group, scope, role and body are the document's. */
export function endpoint(operation: Operation, handle: Endpoint["handle"]): Endpoint {
  const { method, group, scope, caller, request } = operation;
  const path = expressPath(operation);
  return { method, path, group, scope, caller, role: roleOf(operation), body: bodyOf(request), handle };
}

function bodyOf(request: Operation["request"]): "json" | "optional" | "none" {
  if (request === undefined) return "none";
  return request.optional ? "optional" : "json";
}
