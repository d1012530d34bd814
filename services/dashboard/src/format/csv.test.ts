import { afterEach, describe, expect, it } from "@jest/globals";
import { csvInDollars, download, toCsv } from "./csv.ts";

describe("toCsv", () => {
  it("quotes what needs it", () => {
    expect(toCsv(["Name", "Spend"], [['A "big", one', 1.5]])).toBe('Name,Spend\r\n"A ""big"", one",1.5\r\n');
  });

  it("quotes outer spaces, which a spreadsheet may cut off, as the API does", () => {
    expect(toCsv(["Name"], [[" padded"], ["a b"], ["padded "]])).toBe(
      'Name\r\n" padded"\r\na b\r\n"padded "\r\n',
    );
  });

  it("leaves what is not there empty", () => {
    expect(toCsv(["Country"], [[null], [undefined]])).toBe("Country\r\n\r\n\r\n");
  });

  it.each(["=1+1", "+1", "-1", "@cmd", "\tx"])("keeps a spreadsheet from running %j", (text) => {
    expect(toCsv(["Name"], [[text]])).toBe(`Name\r\n'${text}\r\n`);
  });

  it.each([
    ["\uff1d1+1", "'\uff1d1+1"],
    ["a;=1+1;b", "a;'=1+1;b"],
    ["\t=1", "'\t'=1"],
    ["a\n=1+1", '"a\n\'=1+1"'],
    ["7-11; more = fun", "7-11; more = fun"],
  ])("writes %j as %s, because a spreadsheet may end cells elsewhere", (text, cell) => {
    expect(toCsv(["Name"], [[text]])).toBe(`Name\r\n${cell}\r\n`);
  });

  it("leaves negative numbers as they are", () => {
    expect(toCsv(["Change"], [[-3]])).toBe("Change\r\n-3\r\n");
  });
});

describe("csvInDollars", () => {
  it("divides the amounts in cents, and leaves every other cell as it is", () => {
    const csv = 'date,name,impressions,spent_cents\n2026-12-01,"a ""big"", one\n,",3,1.500\n,,0,\n';
    expect(csvInDollars(csv)).toBe(
      'date,name,impressions,spent_usd\r\n2026-12-01,"a ""big"", one\n,",3,0.015\r\n,,0,\r\n',
    );
  });
});

describe("download", () => {
  const { setTimeout: startTimer } = globalThis;
  afterEach(() => {
    globalThis.setTimeout = startTimer;
    Reflect.deleteProperty(globalThis, "document");
  });

  it("keeps the file for the browser after the click, and releases it later", async () => {
    const read = async (address: string) => (await fetch(address)).text();
    const link = { href: "", download: "", clicks: 0, click: () => (link.clicks += 1) };
    Object.assign(globalThis, { document: { createElement: () => link } });
    const timers: (() => void)[] = [];
    globalThis.setTimeout = ((work: () => void) => timers.push(work)) as never;
    download("spend.csv", "a,b\r\n");
    globalThis.setTimeout = startTimer;
    expect([link.download, link.clicks]).toEqual(["spend.csv", 1]);
    expect(await read(link.href)).toBe("a,b\r\n");
    for (const end of timers) end();
    await expect(read(link.href)).rejects.toThrow();
  });
});
