import { IconKey, IconSettings, IconUsers, IconWebhook } from "@tabler/icons-react";
import type { Area } from "../area.ts";

export const account: Area = {
  label: "Account",
  navigation: [
    { to: "/keys", label: "API keys", icon: IconKey },
    { to: "/webhooks", label: "Webhooks", icon: IconWebhook },
    { to: "/members", label: "Members", icon: IconUsers },
    { to: "/account", label: "Account settings", icon: IconSettings },
  ],
  routes: [
    { path: "keys", lazy: () => import("./keys.tsx") },
    { path: "webhooks", lazy: () => import("./webhooks.tsx") },
    { path: "webhooks/:webhookId", lazy: () => import("./webhook.tsx") },
    { path: "members", lazy: () => import("./members.tsx") },
    { path: "account", lazy: () => import("./account-settings.tsx") },
  ],
};
