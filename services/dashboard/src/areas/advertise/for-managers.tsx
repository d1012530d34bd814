import { Button, Card } from "@mantine/core";
import { Link } from "react-router";
import { Empty } from "../../kit/states.tsx";

interface ForManagersProps {
  /** What cannot be done here: "create campaigns". */
  task: string;
  /** Where a viewer can go on. */
  next: { to: string; label: string };
}

/** In place of a form of which a viewer can send nothing. */
export function ForManagers({ task, next }: ForManagersProps) {
  return (
    <Card>
      <Empty
        line="The pen is in other hands."
        action={
          <Button component={Link} to={next.to}>
            {next.label}
          </Button>
        }
      >
        Ask an owner or a manager of the account to {task}.
      </Empty>
    </Card>
  );
}
