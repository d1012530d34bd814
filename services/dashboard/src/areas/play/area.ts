import type { RouteObject } from "react-router";

/** The demo game stands outside the frame: anybody may play it, signed in or not. */
export const playRoutes: readonly RouteObject[] = [{ path: "play", lazy: () => import("./play.tsx") }];
