import { ButtonLink } from "../../kit/button-link.tsx";
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
    <Empty
      isCard
      line="The pen is in other hands."
      action={<ButtonLink to={next.to}>{next.label}</ButtonLink>}
    >
      Ask an owner or a manager of the account to {task}.
    </Empty>
  );
}
