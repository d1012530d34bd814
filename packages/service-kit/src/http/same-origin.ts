import type { Exchange } from "./exchange.ts";
import { forbidden } from "./http-error.ts";

const REFUSED =
  "A signed-in browser can change something only from the dashboard's own pages: open the dashboard at the address of the service, or use an API key.";

/**
 * Throws 403 unless the browser says that a page of the service itself sends the request. Every browser sends `Origin` with such
 * a request, most `Sec-Fetch-Site`, and no page can set either: where both come, both have to agree.
 * @param publicUrl origin that browsers use; undefined: the host that the request names
 */
export function requireSameOrigin(exchange: Exchange, publicUrl: string | undefined): void {
  const site = exchange.header("sec-fetch-site");
  const origin = exchange.header("origin");
  if (site === undefined && origin === undefined) throw forbidden(REFUSED);
  if (site !== undefined && site !== "same-origin") throw forbidden(REFUSED);
  if (origin !== undefined && !isOwnOrigin(origin, exchange.header("host"), publicUrl))
    throw forbidden(REFUSED);
}

function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | undefined): boolean {
  if (publicUrl !== undefined) return origin === publicUrl;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
