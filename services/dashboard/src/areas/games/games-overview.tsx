import { Anchor, Card, Text } from "@mantine/core";
import { Link } from "react-router";
import { useAbility } from "../../api/session.ts";
import { centsOfMicrocents } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { TableSection } from "../../kit/data-table.tsx";
import { Page } from "../../kit/page.tsx";
import { OperatorNotice } from "../system/operator-notice.tsx";
import { gamePath } from "./game-path.ts";
import { GamesSummary } from "./games-summary.tsx";
import { IntegrationStatus } from "./integration-status.tsx";
import type { Placement } from "./placement.ts";
import { useTraffic, withTraffic } from "./reads.ts";

interface GamesOverviewProps {
  placements: readonly Placement[];
  /** Where an advertiser begins. */
  advertisePath: string;
}

/** The overview of an account that has games and does not advertise. */
export default function GamesOverview({ placements, advertisePath }: GamesOverviewProps) {
  const { canChange } = useAbility();
  const traffic = useTraffic();
  const games = withTraffic(placements, traffic.data);
  return (
    <Page
      title="Overview"
      about="What your games ask for, show and earn."
      actions={canChange && <ButtonLink to="/match-tester">Test a scene</ButtonLink>}
    >
      <OperatorNotice />
      <GamesSummary traffic={traffic} />
      <TableSection
        title="Games"
        actions={
          <Anchor component={Link} to="/games">
            Show all of them
          </Anchor>
        }
        isPlain
        rows={games}
        rowKey={({ placement }) => placement.game_id}
        rowTo={({ placement }) => gamePath(placement.game_id)}
        pageSize={MAX_GAMES}
        empty={null}
        columns={(make) => [
          make.name("game", "Game", ({ placement }) => placement.game_id),
          {
            key: "state",
            header: "Integration",
            phone: "fact",
            cell: (game) => (
              <IntegrationStatus isActive={game.placement.is_active} stage={game.traffic?.stage} />
            ),
          },
          make.number("requests", "Requests, 24 h", (game) => game.traffic?.requests),
          make.money(
            "earned",
            "Total earned",
            (game) => game.traffic && centsOfMicrocents(game.traffic.earned_microcents),
            { phone: "fact" },
          ),
        ]}
      />
      {canChange && (
        <Card padding="sm" px="lg">
          <Text>
            The same account can pay for lines in games, too.{" "}
            <Anchor component={Link} to={advertisePath}>
              Advertise in games
            </Anchor>
          </Text>
        </Card>
      )}
    </Page>
  );
}

const MAX_GAMES = 10;
