import type { ReactNode } from "react";
import { Failed } from "../../kit/states.tsx";
import type { TrafficRead } from "./reads.ts";

interface TrafficFailedProps {
  traffic: TrafficRead;
  /** What still works. */
  children: ReactNode;
}

/** In place of what needs the traffic of the account's games. */
export function TrafficFailed({ traffic, children }: TrafficFailedProps) {
  return (
    <Failed isCard what="The traffic could not be loaded." read={traffic}>
      {children}
    </Failed>
  );
}
