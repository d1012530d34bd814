import { Button, Card } from "@mantine/core";
import { Link } from "react-router";
import { Empty } from "../../kit/states.tsx";

/** In place of a page of a campaign that the account does not have. */
export function UnknownCampaign() {
  return (
    <Card>
      <Empty
        line="Nobody here knows this campaign."
        action={
          <Button component={Link} to="/campaigns">
            Show the campaigns
          </Button>
        }
      >
        It was deleted, or it belongs to another account.
      </Empty>
    </Card>
  );
}
