import { describe, expect, it } from "@jest/globals";
import { toCsv } from "./csv.ts";

describe("toCsv", () => {
  it("quotes what needs it", () => {
    expect(toCsv(["Name", "Spend"], [['A "big", one', 1.5]])).toBe('Name,Spend\r\n"A ""big"", one",1.5\r\n');
  });

  it("leaves what is not there empty", () => {
    expect(toCsv(["Country"], [[null], [undefined]])).toBe("Country\r\n\r\n\r\n");
  });

  it.each(["=1+1", "+1", "-1", "@cmd", "\tx"])("keeps a spreadsheet from running %j", (text) => {
    expect(toCsv(["Name"], [[text]])).toBe(`Name\r\n'${text}\r\n`);
  });

  it("leaves negative numbers as they are", () => {
    expect(toCsv(["Change"], [[-3]])).toBe("Change\r\n-3\r\n");
  });
});
