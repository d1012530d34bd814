import { expressPath, type Operation, roleOf } from "@diegetic/contracts";
import type { Endpoint } from "./endpoint.ts";

/** Creates the endpoint of an operation of the API document. */
export function endpoint(operation: Operation, handle: Endpoint["handle"]): Endpoint {
  const { request } = operation;
  const body = request?.optional ? "optional" : "json";
  return {
    ...operation,
    path: expressPath(operation),
    role: roleOf(operation),
    body: request === undefined ? "none" : body,
    handle,
  };
}
