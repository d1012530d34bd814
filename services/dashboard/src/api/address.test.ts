import { describe, expect, it } from "@jest/globals";
import { addressBelow } from "./address.ts";
import { ApiError } from "./api-error.ts";

describe("the address of an operation", () => {
  it("has its parameters, and of the query those with a value", () => {
    const path = { game_id: "a game/1" };
    const query = { unit: "day", count: 30, cursor: undefined, from: null };
    expect(addressBelow("/traffic/{game_id}/words", path, query)).toBe(
      "/traffic/a%20game%2F1/words?unit=day&count=30",
    );
    expect(addressBelow("/placements")).toBe("/placements");
  });

  it.each([".", ".."])("is none where a browser would take %p for a folder", (game_id) => {
    expect(new URL(`/placements/${encodeURIComponent(game_id)}`, "http://localhost").pathname).not.toContain(
      game_id,
    );
    const ask = () => addressBelow("/placements/{game_id}", { game_id });
    expect(ask).toThrow(ApiError);
    expect(ask).toThrow(`“${game_id}”`);
  });

  it("may begin or end with dots", () => {
    for (const game_id of ["...", ".a", "a.."]) {
      expect(addressBelow("/placements/{game_id}", { game_id })).toBe(`/placements/${game_id}`);
    }
  });
});
