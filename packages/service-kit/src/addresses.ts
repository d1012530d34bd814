import ipaddr from "ipaddr.js";

/** Whether the text is an IPv4 address of four decimal parts or an IPv6 address; what else systems understand (`1`, `0x7f.1`) is none. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(":") && ipaddr.IPv6.isValid(text));
}

/** Whether the address, in whatever form, is one by which a machine reaches itself. */
export function isLoopbackAddress(text: string): boolean {
  return isAddress(text) && ipaddr.process(text).range() === "loopback";
}
