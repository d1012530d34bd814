import { crossSite, unknownHost } from "@diegetic/contracts";
import { isAddress, withoutBrackets } from "../addresses.ts";
import type { Exchange } from "./exchange.ts";

/** A host name or an address, with or without a port. */
const HOST = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Throws 403 unless the request comes from a page of the service. Browsers send `Origin` with such requests, most also
 * `Sec-Fetch-Site`, and no page can set either. When both are sent, both must match.
 * @param publicUrl origin that browsers use; undefined: the host of the request
 */
export function requireSameOrigin(exchange: Exchange, publicUrl: string | undefined): void {
  const site = exchange.header("sec-fetch-site");
  const origin = exchange.header("origin");
  const host = exchange.header("host");
  if (site === undefined && origin === undefined) throw crossSite.error();
  if (site !== undefined && site !== "same-origin") throw crossSite.error();
  if (origin !== undefined && !isOwnOrigin(origin, host, publicUrl)) throw crossSite.error();
  if (publicUrl === undefined && !isUnambiguous(host)) throw unknownHost.error();
}

function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | undefined): boolean {
  if (publicUrl !== undefined) return origin === publicUrl;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/**
 * Whether a host resolves to the same machine in every browser: an IP address, or localhost. The owner of any other name
 * can point it to this service and send requests from a page of that name (DNS rebinding).
 */
function isUnambiguous(host: string | undefined): boolean {
  const [, name] = HOST.exec(host ?? "") ?? [];
  if (name === undefined) return false;
  return name === "localhost" || name.endsWith(".localhost") || isAddress(withoutBrackets(name));
}
