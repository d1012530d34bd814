import { Center, Loader } from "@mantine/core";

/** Before anything is known of the page. */
export function Loading() {
  return (
    <Center mih="100dvh">
      <Loader color="ember" aria-label="Loading" />
    </Center>
  );
}
