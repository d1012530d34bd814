import { Button, Stack } from "@mantine/core";
import { useEffect } from "react";
import { useRouteError } from "react-router";
import { ApiError } from "../api/api-error.ts";
import { Failed } from "../kit/states.tsx";

/** What browsers, and Vite for style sheets, say of a file that they did not get. */
const NOT_LOADED = /dynamically imported module|importing a module script|preload CSS/i;
const notLoaded = new ApiError(
  0,
  "A part of this page could not be loaded. Check the connection, then reload the page.",
);

/** Whether the server has the page: other media types are for the API. */
const ASKING: RequestInit = { method: "HEAD", cache: "no-store", headers: { Accept: "text/html" } };

/** A page that could not be shown: the frame stays, the page can be loaded again. */
export function PageFailed() {
  const thrown = useRouteError();
  const isNotLoaded = thrown instanceof Error && NOT_LOADED.test(thrown.message);
  const error = isNotLoaded ? notLoaded : thrown;
  useReloadOnline(isNotLoaded);
  return (
    <Stack align="center" p="xl">
      <Failed what="This page could not be shown." read={{ error }}>
        The rest of the dashboard still works, and nothing was changed.
      </Failed>
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </Stack>
  );
}

/**
 * Reloads the page when the connection is back: browsers do not ask again for a part that they did not get. Not before the
 * server answers, since a failed reload would leave nothing of the dashboard. Nothing unsent is lost: the page with the form
 * is gone already, its draft is kept.
 */
function useReloadOnline(isNotLoaded: boolean) {
  useEffect(() => {
    if (!isNotLoaded) return;
    const gone = new AbortController();
    const { signal } = gone;
    const reload = () =>
      fetch(location.href, { ...ASKING, signal }).then(
        ({ ok }) => ok && location.reload(),
        () => undefined,
      );
    addEventListener("online", () => void reload(), { signal });
    return () => gone.abort();
  }, [isNotLoaded]);
}
