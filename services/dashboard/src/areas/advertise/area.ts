import { IconCoins, IconLayoutDashboard, IconReceipt, IconSpeakerphone } from "@tabler/icons-react";
import type { Area } from "../area.ts";

export const advertise: Area = {
  label: "Advertise",
  navigation: [
    { to: "/", label: "Overview", icon: IconLayoutDashboard, isExact: true },
    { to: "/campaigns", label: "Campaigns", icon: IconSpeakerphone },
    { to: "/spend", label: "Spend", icon: IconReceipt },
    { to: "/money", label: "Money", icon: IconCoins },
  ],
  routes: [
    { index: true, lazy: () => import("./overview.tsx") },
    { path: "campaigns", lazy: () => import("./campaign-list.tsx") },
    { path: "campaigns/new", lazy: () => import("./campaign-new.tsx") },
    {
      path: "campaigns/:campaignId",
      lazy: () => import("./campaign.tsx"),
      children: [
        { index: true, lazy: () => import("./pacing-tab.tsx") },
        { path: "audience", lazy: () => import("./audience-tab.tsx") },
        { path: "lines", lazy: () => import("./lines-tab.tsx") },
        { path: "targeting", lazy: () => import("./targeting-tab.tsx") },
        { path: "simulator", lazy: () => import("./simulator-tab.tsx") },
        { path: "explain", lazy: () => import("./explain-tab.tsx") },
        { path: "settings", lazy: () => import("./settings-tab.tsx") },
      ],
    },
    { path: "campaigns/:campaignId/creatives/new", lazy: () => import("./creative-new.tsx") },
    { path: "campaigns/:campaignId/creatives/:creativeId", lazy: () => import("./creative-edit.tsx") },
    { path: "spend", lazy: () => import("./spend.tsx") },
    { path: "money", lazy: () => import("./money.tsx") },
  ],
};
