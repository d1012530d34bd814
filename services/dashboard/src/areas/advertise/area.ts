import { IconCoins, IconLayoutDashboard, IconSpeakerphone } from "@tabler/icons-react";
import type { Area } from "../area.ts";

export const advertise: Area = {
  label: "Advertise",
  navigation: [
    { to: "/", label: "Overview", icon: IconLayoutDashboard, isExact: true },
    { to: "/campaigns", label: "Campaigns", icon: IconSpeakerphone },
    { to: "/money", label: "Money", icon: IconCoins },
  ],
  routes: [{ index: true, lazy: () => import("./overview.tsx") }],
};
