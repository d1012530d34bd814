import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import { formatAgo, formatMoment } from "../format/format.ts";

const REFRESH_MS = 30_000;

/** "3 min ago", with the full time on hover. */
export function Moment({ iso }: { iso: string }) {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useInterval(() => setNowMs(Date.now()), REFRESH_MS, { autoInvoke: true });
  return (
    <time dateTime={iso} title={formatMoment(iso)} style={{ whiteSpace: "nowrap" }}>
      {formatAgo(iso, nowMs)}
    </time>
  );
}
