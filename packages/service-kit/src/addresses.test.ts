import { describe, expect, it } from "@jest/globals";
import { isPublicAddress } from "./addresses.ts";

describe("a public address", () => {
  it.each(["1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::200e"])("is %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.0.0.7",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:10.0.0.7",
    "::ffff:93.184.216.34",
    "64:ff9b::a00:7",
    "2001::1",
    "2001:db8::1",
    "2002:a00:7::1",
    "fc00::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "localhost",
    "0x7f.1",
    "2130706433",
    "",
  ])("is not %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
