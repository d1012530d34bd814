import { crossSite, otherAccountsPlacement, roleTooLow, scopeMissing } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import { ApiError } from "../../api/api-error.ts";
import { gameIdProblem, proposedGameId } from "./game-id-problem.ts";

const apiErrorOf = ({ status, detail }: { status: number; detail: string }) => new ApiError(status, detail);

describe("the problem with the identifier of a new game", () => {
  it("is that another account has the game", () => {
    expect(gameIdProblem(apiErrorOf(otherAccountsPlacement))).toBe(
      "Another account has a game of this ID. Choose another.",
    );
  });

  it("is no other refusal with 403", () => {
    for (const refusal of [roleTooLow, scopeMissing, crossSite]) {
      expect(refusal.status).toBe(403);
      expect(gameIdProblem(apiErrorOf(refusal))).toBeUndefined();
    }
  });

  it("is the API's sentence about a malformed one", () => {
    const detail = "game_id must have 1 to 100 characters";
    expect(gameIdProblem(new ApiError(422, detail))).toBe(detail);
    expect(gameIdProblem(new ApiError(400, detail))).toBe(detail);
  });

  it("is none where something else failed", () => {
    expect(gameIdProblem(new ApiError(503, "Retry after 1 second."))).toBeUndefined();
    expect(gameIdProblem(new ApiError(0, "The server cannot be reached."))).toBeUndefined();
    expect(gameIdProblem(null)).toBeUndefined();
  });
});

describe("the proposal for the identifier of a new game", () => {
  it("is without the spaces and signs of what was typed", () => {
    expect(proposedGameId("My Great Game!! ")).toBe("my-great-game");
    expect(proposedGameId("Émile's Café, v1.2")).toBe("emiles-cafe-v1.2");
  });

  it("is none where nothing stands in the way, or nothing would be left", () => {
    for (const typed of ["", " moonlit-keep ", "Moonlit_Keep.v2", "月の城"]) {
      expect(proposedGameId(typed)).toBeUndefined();
    }
  });
});
