import { IconCode, IconCoin, IconDeviceGamepad2, IconTargetArrow } from "@tabler/icons-react";
import type { Area } from "../area.ts";

export const games: Area = {
  label: "Games",
  navigation: [
    { to: "/games", label: "Games", icon: IconDeviceGamepad2 },
    { to: "/match-tester", label: "Match tester", icon: IconTargetArrow },
    { to: "/earnings", label: "Earnings", icon: IconCoin },
    { to: "/snippets", label: "Snippets", icon: IconCode },
  ],
  routes: [
    { path: "games", lazy: () => import("./game-list.tsx") },
    {
      path: "games/:gameId",
      lazy: () => import("./game.tsx"),
      children: [
        { index: true, lazy: () => import("./health-tab.tsx") },
        { path: "reasons", lazy: () => import("./reasons-tab.tsx") },
        { path: "words", lazy: () => import("./words-tab.tsx") },
        { path: "advertisers", lazy: () => import("./advertisers-tab.tsx") },
        { path: "settings", lazy: () => import("./settings-tab.tsx") },
      ],
    },
    { path: "match-tester", lazy: () => import("./match-tester.tsx") },
    { path: "earnings", lazy: () => import("./earnings.tsx") },
    { path: "snippets", lazy: () => import("./snippets.tsx") },
  ],
};
