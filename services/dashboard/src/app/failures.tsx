import { Button, Stack } from "@mantine/core";
import { useRouteError } from "react-router";
import { Failed } from "../kit/states.tsx";

/** A page that could not be shown: the frame stays, the page can be loaded again. */
export function PageFailed() {
  const error = useRouteError();
  return (
    <Stack align="center" p="xl">
      <Failed what="This page could not be shown." error={error}>
        The rest of the dashboard still works, and nothing was changed.
      </Failed>
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </Stack>
  );
}
