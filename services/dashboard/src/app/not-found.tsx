import { Button, Card } from "@mantine/core";
import { Link } from "react-router";
import { Page } from "../kit/page.tsx";
import { Empty } from "../kit/states.tsx";

export function NotFound() {
  return (
    <Page title="Not found">
      <Card>
        <Empty
          line="The map ends here."
          action={
            <Button component={Link} to="/">
              Go to the overview
            </Button>
          }
        >
          No page has this address. It may have moved, or the link is incomplete.
        </Empty>
      </Card>
    </Page>
  );
}
