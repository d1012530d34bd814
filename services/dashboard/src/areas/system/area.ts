import { IconHeartbeat } from "@tabler/icons-react";
import type { Area } from "../area.ts";

export const system: Area = {
  label: "System",
  navigation: [{ to: "/system", label: "System", icon: IconHeartbeat }],
  routes: [{ path: "system", lazy: () => import("./system.tsx") }],
  isForOperators: true,
};
