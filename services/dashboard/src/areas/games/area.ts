import type { Area } from "../area.ts";

export const games: Area = {
  label: "Games",
  navigation: [],
  routes: [],
};
