import { Tooltip } from "@mantine/core";
import { useForceUpdate, useInterval } from "@mantine/hooks";
import { formatAgo, formatDayWithYear, formatMoment } from "../format/format.ts";

const REFRESH_MS = 10_000;

interface MomentProps {
  iso: string;
  /** Names the UTC day instead, as the money does. */
  isDay?: boolean;
}

/** "3 min ago", with the full time on hover, focus and touch. */
export function Moment({ iso, isDay = false }: MomentProps) {
  const refresh = useForceUpdate();
  useInterval(refresh, REFRESH_MS, { autoInvoke: true });
  return (
    <Tooltip label={formatMoment(iso)}>
      {/* Above the link that covers a row. */}
      <time
        dateTime={iso}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus shows the full time
        tabIndex={0}
        style={{ whiteSpace: "nowrap", position: "relative", zIndex: 1 }}
      >
        {isDay ? formatDayWithYear(iso) : formatAgo(iso, Date.now())}
      </time>
    </Tooltip>
  );
}
