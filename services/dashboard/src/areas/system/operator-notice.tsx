import { Anchor, Card, Text } from "@mantine/core";
import { Link } from "react-router";
import { useSession } from "../../api/session.ts";

/** Tells the operator, whom signing up first has made one, what they run. */
export function OperatorNotice() {
  const { user } = useSession();
  if (!user.is_operator) return null;
  return (
    <Card padding="sm" px="lg">
      <Text>
        You were the first to sign up, and run this installation.{" "}
        <Anchor component={Link} to="/system">
          See its state and its accounts
        </Anchor>
      </Text>
    </Card>
  );
}
