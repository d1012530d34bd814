import ipaddr from "ipaddr.js";

/** Whether the text is an IPv4 address of four decimal parts or an IPv6 address. Legacy forms (`1`, `0x7f.1`) are not accepted. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(":") && ipaddr.IPv6.isValid(text));
}

/** Whether the address, in any form, is a loopback address. */
export function isLoopbackAddress(text: string): boolean {
  return isAddress(text) && ipaddr.process(text).range() === "loopback";
}
