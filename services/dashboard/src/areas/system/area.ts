import type { Area } from "../area.ts";

export const system: Area = {
  label: "System",
  navigation: [],
  routes: [],
  isForOperators: true,
};
