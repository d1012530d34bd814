import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import proxyAddress from "proxy-addr";
import { isAddress } from "../addresses.ts";

/** A provider gives at least so much of IPv6 to one customer, who can then call from as many addresses as he likes. */
const IPV6_NETWORK_BITS = 64;

/**
 * Where requests come from: the peer, or what proxies in front say of it as long as they are trusted.
 * @param trustedProxies as TRUSTED_PROXIES names them
 */
export function clientAddresses(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => string | undefined {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (request) => proxyAddress(request, isTrusted);
}

/**
 * What requests without a valid key are counted by: the IPv4 address, or the /64 network of an IPv6 address. A proxy that
 * names its client by anything but an address is itself the client.
 */
export function clientNetwork(address: string | undefined, peer: string | undefined): string {
  return networkOf(address) ?? networkOf(peer) ?? "unknown";
}

/** IPv4 address or /64 network of an address; undefined: the text is none. */
export function networkOf(text: string | undefined): string | undefined {
  if (text === undefined || !isAddress(text)) return undefined;
  // Also makes ::ffff:192.0.2.1, as sockets for both protocols show it, 192.0.2.1.
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${text.split("%", 1)[0]}/${IPV6_NETWORK_BITS}`);
  return `${network}/${IPV6_NETWORK_BITS}`;
}
