import { expressPath, type Operation, roleOf } from "@diegetic/contracts";
import type { Endpoint } from "./endpoint.ts";

/** Creates the endpoint of an operation; method, path, group, scope, role and body come from the API document. */
export function endpoint(operation: Operation, handle: Endpoint["handle"]): Endpoint {
  const {
    method,
    group,
    scope,
    caller,
    request,
    bodyBytesPerRequest,
    answersWithoutLimits = false,
  } = operation;
  const path = expressPath(operation);
  const [role, body] = [roleOf(operation), bodyOf(request)];
  return {
    method,
    path,
    group,
    scope,
    caller,
    role,
    body,
    bodyBytesPerRequest,
    answersWithoutLimits,
    handle,
  };
}

function bodyOf(request: Operation["request"]): "json" | "optional" | "none" {
  if (request === undefined) return "none";
  return request.optional ? "optional" : "json";
}
