import { expressPath, type Operation, roleOf } from "@diegetic/contracts";
import type { Endpoint } from "./endpoint.ts";

/** Creates the endpoint of an operation; method, path, group, scope, role and body come from the API document. */
export function endpoint(operation: Operation, handle: Endpoint["handle"]): Endpoint {
  return {
    method: operation.method,
    path: expressPath(operation),
    group: operation.group,
    scope: operation.scope,
    callers: operation.callers,
    role: roleOf(operation),
    body: bodyOf(operation.request),
    bodyBytesPerRequest: operation.bodyBytesPerRequest,
    answersWithoutLimits: operation.answersWithoutLimits ?? false,
    handle,
  };
}

function bodyOf(request: Operation["request"]): "json" | "optional" | "none" {
  if (request === undefined) return "none";
  return request.optional ? "optional" : "json";
}
