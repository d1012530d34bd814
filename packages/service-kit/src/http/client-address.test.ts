import { describe, expect, it } from "@jest/globals";
import { clientNetwork } from "./client-address.ts";

const from = (ip: string | undefined, peer: string | undefined) => clientNetwork(ip, peer);

describe("the rate limit bucket of requests without a valid key", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2:ffff::1", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["::1", "::/64"],
  ])("%s as %s", (ip, expected) => expect(from(ip, "10.0.0.1")).toBe(expected));

  it.each(["", "unknown", "_hidden", "x".repeat(5_000), "1", "0x7f.1", "192.0.2.7:4711", "1.2.3.4, 5.6.7.8"])(
    "the peer when it calls its client %j",
    (claimed) => expect(from(claimed, "10.0.0.1")).toBe("10.0.0.1"),
  );

  it("one bucket for unknown clients", () => expect(from(undefined, undefined)).toBe("unknown"));
});
