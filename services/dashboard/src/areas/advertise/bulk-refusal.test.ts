import { balanceTooLow, withoutCreative } from "@diegetic/contracts";
import { expect, it } from "@jest/globals";
import { ApiError } from "../../api/api-error.ts";
import { bulkRefusal } from "./bulk-refusal.ts";

it("says that money is missing without the names of operations, and repeats any other sentence", () => {
  expect(bulkRefusal(new ApiError(409, balanceTooLow.detail))).toBe(
    "the balance does not pay for one impression. Deposit money under Money first.",
  );
  expect(bulkRefusal(new ApiError(409, withoutCreative.detail))).toBe(withoutCreative.detail);
});
