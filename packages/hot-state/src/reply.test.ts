import { describe, expect, it } from "@jest/globals";
import { parseInteger, ReplyReader, UnexpectedReply } from "./reply.ts";

describe("ReplyReader", () => {
  it("reads texts, codes and integers", () => {
    const reply = new ReplyReader("x", ["held", "9007199254740991", ""]);
    expect(reply.code(0, ["held", "refused"])).toBe("held");
    expect(reply.integer(1)).toBe(Number.MAX_SAFE_INTEGER);
    expect(reply.optionalInteger(2)).toBeNull();
    expect(reply.text(2)).toBe("");
  });

  it.each([null, "held", 1, [1], ["a", null], [["a"]]])("does not take %j for a list of texts", (reply) => {
    expect(() => new ReplyReader("x", reply)).toThrow(UnexpectedReply);
  });

  it("reads a list whose texts are lines", () => {
    const reply = ReplyReader.ofLines("x", "refused\n\n7\n", { held: 2, refused: 4 });
    expect([reply.length, reply.text(0), reply.optionalInteger(1), reply.integer(2)]).toEqual([
      4,
      "refused",
      null,
      7,
    ]);
    for (const other of [null, 1, ["refused"]]) {
      expect(() => ReplyReader.ofLines("x", other, { refused: 1 })).toThrow(UnexpectedReply);
    }
  });

  it.each(["refused", "refused\n7\n8", "held\n7", "constructor\n7", ""])(
    "does not take the lines %j for fields of another number, or of an unknown code",
    (reply) => {
      expect(() => ReplyReader.ofLines("x", reply, { held: 3, refused: 2 })).toThrow(UnexpectedReply);
    },
  );

  it("throws on an unknown code, a missing field and an inexact number", () => {
    const reply = new ReplyReader("x", ["holds", "1e+15", "9007199254740993"]);
    expect(() => reply.code(0, ["held"])).toThrow('script x answered ["holds"');
    expect(() => reply.integer(1)).toThrow(UnexpectedReply);
    expect(() => reply.integer(2)).toThrow(UnexpectedReply);
    expect(() => reply.text(3)).toThrow(UnexpectedReply);
  });
});

describe("parseInteger", () => {
  it.each([
    ["0", 0],
    ["-7", -7],
    ["", null],
    ["1.5", null],
    ["1e3", null],
    [" 1", null],
    ["0x10", null],
  ])("reads %j as %j", (text, value) => {
    expect(parseInteger(text)).toBe(value);
  });
});
