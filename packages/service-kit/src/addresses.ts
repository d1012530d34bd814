import ipaddr from "ipaddr.js";

/** Whether the text is an IPv4 address of four decimal parts or an IPv6 address; what else systems understand (`1`, `0x7f.1`) is none. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(":") && ipaddr.IPv6.isValid(text));
}
