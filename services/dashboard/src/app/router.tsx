import { createBrowserRouter, Outlet } from "react-router";
import { areas } from "../areas/areas.ts";
import { playRoutes } from "../areas/play/area.ts";
import { ConfirmProvider } from "../kit/confirm.tsx";
import { Loading } from "../kit/loading.tsx";
import { PageFailed } from "./failures.tsx";
import { Frame } from "./frame.tsx";
import { NotFound } from "./not-found.tsx";

export function createRouter() {
  return createBrowserRouter([
    {
      Component: Root,
      HydrateFallback: Loading,
      ErrorBoundary: PageFailed,
      children: [
        { path: "sign-in", lazy: () => import("../areas/account/sign-in.tsx") },
        { path: "sign-up", lazy: () => import("../areas/account/sign-up.tsx") },
        { path: "join", lazy: () => import("../areas/account/join.tsx") },
        ...playRoutes,
        {
          Component: Frame,
          children: [
            {
              // A page that fails leaves the frame standing.
              ErrorBoundary: PageFailed,
              children: [...areas.flatMap(({ routes }) => routes), { path: "*", Component: NotFound }],
            },
          ],
        },
      ],
    },
  ]);
}

/** Inside the router, since Back closes a dialog. */
function Root() {
  return (
    <ConfirmProvider>
      <Outlet />
    </ConfirmProvider>
  );
}
