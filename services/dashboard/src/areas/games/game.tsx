import { Button, Skeleton } from "@mantine/core";
import { useState } from "react";
import { Outlet, useLocation, useMatch } from "react-router";
import { hasStatus } from "../../api/api-error.ts";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { formatDayWithYear } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { TabLinks } from "../../kit/tab-links.tsx";
import { useIsPhone } from "../../kit/use-is-phone.ts";
import { gameIdIn, gamePath } from "./game-path.ts";
import { GameReport } from "./game-report.tsx";
import { IntegrationStatus } from "./integration-status.tsx";
import { PERIOD_PARAMETER } from "./period.tsx";
import type { Placement } from "./placement.ts";
import { useGameTraffic } from "./reads.ts";
import { testerPathOf } from "./scene-link.ts";
import { useAdsSwitch } from "./use-ads-switch.ts";

const TABS = [
  { path: "", label: "Is it working?" },
  { path: "reasons", label: "Why no ad?" },
  { path: "words", label: "Which words fit?" },
  { path: "advertisers", label: "Who is shown?" },
  { path: "settings", label: "Settings" },
];
const BACK = { to: "/games", label: "Games" };

/**
 * One game: its figures and its calls, then tabs by question. On a phone the former belong to the first tab, so that the
 * answer of another one is at hand.
 */
export function Component() {
  const gameId = gameIdIn(useLocation().pathname);
  const isFirstTab = useMatch("/games/:gameId") !== null;
  const isPhone = useIsPhone();
  const { canChange } = useAbility();
  const { isSwitching, switchAds } = useAdsSwitch();
  const placement = useRead("GET /placements/{game_id}", { path: { game_id: gameId } });
  const { traffic, game } = useGameTraffic(gameId);
  // What is below asks again when it is shown after a failure: it stays from then on.
  const [isSettled, setSettled] = useState(false);
  if (!traffic.isPending && !isSettled) setSettled(true);
  const { data, error } = placement;
  if (data === undefined) {
    return (
      <Page title={gameId} back={BACK} {...(!error && { about: null })}>
        {hasStatus(error, 403, 404) ? (
          <Empty
            isCard
            line="Nobody here knows this game."
            action={<ButtonLink to="/games">Show games</ButtonLink>}
          >
            This account has no game of this identifier. Another of your accounts may have it.
          </Empty>
        ) : error ? (
          <Failed isCard what="The game could not be loaded." read={placement}>
            Nothing was changed, and games are served apart from this page.
          </Failed>
        ) : (
          <PageSkeleton />
        )}
      </Page>
    );
  }
  const { is_active: isActive, creator_id: creator, created_at: since } = data;
  return (
    <Page
      title={gameId}
      back={BACK}
      state={<IntegrationStatus isActive={isActive} stage={game?.stage} />}
      about={`Creator ID ${creator}, here since ${formatDayWithYear(since)}`}
      actions={
        <>
          {canChange && (
            <Button variant="default" loading={isSwitching(gameId)} onClick={() => void switchAds(data)}>
              {isActive ? "Turn off ads" : "Turn on ads"}
            </Button>
          )}
          {canChange && <ButtonLink to={testerPathOf(gameId)}>Test a scene</ButtonLink>}
        </>
      }
    >
      {!isSettled ? (
        <PageSkeleton />
      ) : (
        <>
          {(isFirstTab || !isPhone) && <GameReport placement={data} />}
          <TabLinks label="Questions" base={gamePath(gameId)} tabs={TABS} kept={[PERIOD_PARAMETER]} />
          {/* A form belongs to one game: Back to another one must not take its values along. */}
          <Outlet key={gameId} context={data satisfies Placement} />
        </>
      )}
    </Page>
  );
}

/** Until the stage of the game is known: it decides what stands above the tabs. */
function PageSkeleton() {
  return (
    <>
      <Skeleton height={120} />
      <Skeleton height={290} />
      <Skeleton height={40} />
    </>
  );
}
