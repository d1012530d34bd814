import type { Operation } from "@diegetic/contracts";
import { type Answer, type Endpoint, endpoint, type RequestContext } from "@diegetic/service-kit";
import type { Parts } from "./parts.ts";

export type Handler = (parts: Parts, context: RequestContext) => Promise<Answer>;

/** Endpoints of a feature, in the order of the handlers: if two paths match a request, the earlier one handles it. */
export function endpointsOf<Name extends string>(
  operations: Readonly<Record<Name, Operation>>,
  handlers: NoInfer<Readonly<Record<Name, Handler>>>,
): (parts: Parts) => Endpoint[] {
  const names = Object.keys(handlers) as Name[];
  return (parts) =>
    names.map((name) => endpoint(operations[name], (context) => handlers[name](parts, context)));
}
