import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import proxyAddress from "proxy-addr";
import { isAddress } from "../addresses.ts";

/** Providers assign at least this much of IPv6 to one customer, who can then use any number of addresses. */
const IPV6_NETWORK_BITS = 64;

/**
 * The client address of requests: the peer, or the address that trusted proxies report.
 * @param trustedProxies as in TRUSTED_PROXIES
 */
export function clientAddresses(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => string | undefined {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (request) => proxyAddress(request, isTrusted);
}

/**
 * The unit of the limit for requests without a valid key: the IPv4 address, or the /64 network of an IPv6 address. When a
 * proxy reports anything but an address, the proxy itself counts as the client.
 */
export function clientNetwork(address: string | undefined, peer: string | undefined): string {
  return networkOf(address) ?? networkOf(peer) ?? "unknown";
}

/** The IPv4 address or /64 network of an address; undefined: the text is not an address. */
export function networkOf(text: string | undefined): string | undefined {
  if (text === undefined || !isAddress(text)) return undefined;
  // Also converts ::ffff:192.0.2.1, as dual-stack sockets report it, to 192.0.2.1.
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${text.split("%", 1)[0]}/${IPV6_NETWORK_BITS}`);
  return `${network}/${IPV6_NETWORK_BITS}`;
}
