import ipaddr from "ipaddr.js";

/** Whether the text is an IPv4 address of four decimal parts or an IPv6 address. Legacy forms (`1`, `0x7f.1`) are not accepted. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(":") && ipaddr.IPv6.isValid(text));
}

/** Whether the address, in any form, is a loopback address. */
export function isLoopbackAddress(text: string): boolean {
  return isAddress(text) && ipaddr.process(text).range() === "loopback";
}

/** Whether the host of a URL, or an address, only leads to this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopbackAddress(withoutBrackets(host));
}

/**
 * Whether the address can be reached from the public Internet. False for private, loopback, link-local, shared,
 * documentation and multicast addresses, and for IPv6 addresses that contain IPv4 ones.
 */
export function isPublicAddress(text: string): boolean {
  if (!isAddress(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(GLOBAL_UNICAST);
}

/** Whether the host of a URL is localhost, or an address that is not public. Other names are not resolved. */
export function isPrivateHost({ hostname }: URL): boolean {
  const host = withoutBrackets(hostname);
  return isAddress(host) ? !isPublicAddress(host) : LOCALHOST.test(host);
}

/** The address in the host of a URL: one of IPv6 is in brackets there. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

const LOCALHOST = /(^|\.)localhost\.?$/;

/** The only part of IPv6 from which public addresses are assigned. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");
