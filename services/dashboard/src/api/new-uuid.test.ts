import { expect, it } from "@jest/globals";
import { newUuid } from "./new-uuid.ts";

it("makes another UUID of version 4 each time", () => {
  const uuids = Array.from({ length: 1_000 }, newUuid);
  for (const uuid of uuids) {
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(new Set(uuids).size).toBe(uuids.length);
});
