import { eventually } from "@diegetic/testing/eventually";
import { afterEach, describe, expect, it } from "@jest/globals";
import { NameServer } from "../testing/name-server.fixture.ts";
import { post } from "./post.ts";

let names: NameServer;
afterEach(() => names.close());

const postTo = (url: string, timeoutMs = 10_000) =>
  post(url, "{}", {}, { addresses: "public", timeoutMs, nameServers: [names.address] });

describe("post", () => {
  it.each([{ addresses: ["127.0.0.1"] }, { addresses: ["93.184.216.34", "10.0.0.1"] }])(
    "refuses a name that leads to $addresses",
    async ({ addresses }) => {
      names = await NameServer.open(addresses);
      const { status, error } = await postTo("https://studio.example/");
      expect({ status, error }).toEqual({ status: null, error: "the host has a private address" });
      expect(names.queries).toBeGreaterThan(0);
    },
  );

  it("says that a name has no address", async () => {
    names = await NameServer.open([]);
    const { status, error } = await postTo("https://studio.example/");
    expect({ status, error }).toEqual({
      status: null,
      error: "the host has no address",
    });
  });

  it.each([
    ["unknown", "the host was not found"],
    ["failure", "the host cannot be looked up (ESERVFAIL)"],
  ] as const)("puts the answer '%s' of a name server into words", async (outcome, error) => {
    names = await NameServer.open([], outcome);
    expect(await postTo("https://studio.example/")).toEqual({ status: null, error, response: null });
  });

  it("looks up names without the process' few threads, which silent name servers would hold", async () => {
    names = await NameServer.open(null);
    const posts = Array.from({ length: 8 }, (_, n) => postTo(`https://studio${n}.example/`, 3_000));
    await eventually(() => names.queries >= posts.length);
    expect(process.getActiveResourcesInfo()).not.toContain("GetAddrInfoReqWrap");
    for (const { error } of await Promise.all(posts)) expect(error).toBe("no answer within 3000 ms");
  });
});
