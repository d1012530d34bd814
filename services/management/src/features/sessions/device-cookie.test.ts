import { describe, expect, it } from "@jest/globals";
import { DeviceCookies } from "./device-cookie.ts";

const EMAIL = "ada@example.com";
const devices = new DeviceCookies("s".repeat(32), undefined);
const issued = () => devices.issue(EMAIL).split(";", 1)[0] ?? "";

describe("a device cookie", () => {
  it("tells the user's own browsers apart, and from all others", () => {
    const [first, second] = [issued(), issued()];
    const found = [first, second].map((cookie) => devices.find(`a=b; ${cookie}`, EMAIL.toUpperCase()));
    expect(new Set(found).size).toBe(2);
    expect(found).not.toContain(undefined);
    expect(devices.find(first, EMAIL)).toBe(found[0]);
    expect(devices.find(undefined, EMAIL)).toBeUndefined();
    expect(devices.find(first, "bo@example.com")).toBeUndefined();
  });

  it("cannot be made up", () => {
    const cookie = issued();
    const other = new DeviceCookies("t".repeat(32), undefined).issue(EMAIL).split(";", 1)[0];
    const [id] = cookie.split(".");
    for (const forged of [
      other,
      `${cookie}0`,
      `${cookie}.0`,
      `x${cookie}`,
      `${id}`,
      `${id}.`,
      "diegetic_device=.",
    ]) {
      expect([forged, devices.find(forged, EMAIL)]).toEqual([forged, undefined]);
    }
  });

  it("is read by no script and sent by no other site; over https nothing else can set it", () => {
    expect(devices.issue(EMAIL)).toMatch(
      /^diegetic_device=[\w-]{22}\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const secure = new DeviceCookies("s".repeat(32), "https://ads.example.com").issue(EMAIL);
    expect(secure).toMatch(/^__Host-diegetic_device=.*; Secure$/);
  });
});
