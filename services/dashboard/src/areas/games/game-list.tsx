import { Button, List, Switch, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { useDraft } from "../../api/use-draft.ts";
import { centsOfMicrocents, formatPercent } from "../../format/format.ts";
import { NO_FIGURE } from "../../kit/columns.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { textField } from "../../kit/fields.ts";
import { notifyDone, notifyFailed } from "../../kit/notify.ts";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { ErrorTable } from "./error-table.tsx";
import { GameIdInput } from "./game-id-input.tsx";
import { gameIdProblem } from "./game-id-problem.ts";
import { gamePath } from "./game-path.ts";
import { GamesSummary } from "./games-summary.tsx";
import { IntegrationStatus, integrationOf } from "./integration-status.tsx";
import { ADS_PER_SESSION, NEW_GAME, SHARE_PCT } from "./placement.ts";
import { type Game, type TrafficRead, useHasGame, usePlacements, useTraffic, withTraffic } from "./reads.ts";
import { useAdsSwitch } from "./use-ads-switch.ts";

/** The games of the account: whether their ads are on, and whether their integration works. */
export function Component() {
  const { canChange } = useAbility();
  const [isAdding, { open, close }] = useDisclosure();
  const placements = usePlacements();
  const traffic = useTraffic();
  const add = canChange && <Button onClick={open}>Add game</Button>;
  const games = placements.data && withTraffic(placements.data, traffic.data);
  const hasGames = games === undefined || games.length > 0;
  const hasFailed = games === undefined && placements.isError;
  return (
    <Page title="Games" about="Where your players meet ads, and whether it works." actions={hasGames && add}>
      {hasGames && !hasFailed && <GamesSummary traffic={traffic} />}
      <Games games={games} placements={placements} add={add} />
      <Errors traffic={traffic} />
      <Dialog opened={isAdding} onClose={close} title="Add a game">
        <AddForm onClose={close} />
      </Dialog>
    </Page>
  );
}

interface GamesProps {
  games: Game[] | undefined;
  placements: ReturnType<typeof usePlacements>;
  add: ReactNode;
}

function Games({ games, placements, add }: GamesProps) {
  const { canChange } = useAbility();
  const { isSwitching, switchAds } = useAdsSwitch();
  return (
    <DataTable
      label="Games"
      rows={games}
      rowKey={({ placement }) => placement.game_id}
      rowTo={({ placement }) => gamePath(placement.game_id)}
      read={placements}
      searchIn={({ placement }) => [placement.game_id, placement.creator_id]}
      filters={[
        {
          key: "ads",
          label: "Ads",
          options: [
            { value: "on", label: "Ads on" },
            { value: "off", label: "Ads off" },
          ],
          matches: ({ placement }, value) => placement.is_active === (value === "on"),
        },
      ]}
      empty={
        <Empty line="No story is told here yet." action={add}>
          {canChange
            ? "Add a game with the identifier that your server will send. Then copy a snippet and ask for a first ad."
            : "Ask an owner or a manager of the account to add a game."}
        </Empty>
      }
      columns={(make) => [
        make.name("game", "Game", ({ placement }) => placement.game_id),
        make.text(
          "state",
          "Integration",
          ({ placement, traffic }) => (placement.is_active ? traffic?.stage : "off"),
          {
            phone: "fact",
            csv: ({ placement, traffic }) =>
              placement.is_active && traffic === undefined
                ? undefined
                : integrationOf(placement.is_active, traffic?.stage).word,
            cell: ({ placement, traffic }) =>
              placement.is_active && traffic === undefined ? (
                NO_FIGURE
              ) : (
                <IntegrationStatus isActive={placement.is_active} stage={traffic?.stage} />
              ),
          },
        ),
        make.number("requests", "Requests, 24 h", ({ traffic }) => traffic?.requests),
        make.share(
          "matches",
          "Matched, 24 h",
          ({ traffic }) => (traffic?.requests ? traffic.matches / traffic.requests : undefined),
          { help: "The share of requests in the last 24 hours that got an ad." },
        ),
        make.number("impressions", "Total impressions", ({ traffic }) => traffic?.billed_impressions, {
          help: "All that were billed.",
        }),
        make.money(
          "earned",
          "Total earned",
          ({ traffic }) => traffic && centsOfMicrocents(traffic.earned_microcents),
          { phone: "fact" },
        ),
        make.text("ads", "Ads", ({ placement }) => (placement.is_active ? "on" : "off"), {
          align: "right",
          cell: ({ placement }) => (
            <Switch
              aria-label={`Ads in ${placement.game_id}`}
              checked={placement.is_active}
              disabled={!canChange || isSwitching(placement.game_id)}
              data-busy={isSwitching(placement.game_id)}
              onChange={() => void switchAds(placement)}
              display="inline-block"
              style={{ position: "relative", zIndex: 1, verticalAlign: "middle" }}
            />
          ),
        }),
      ]}
    />
  );
}

function Errors({ traffic }: { traffic: TrafficRead }) {
  const errors = traffic.data?.errors ?? [];
  if (errors.length === 0) return null;
  return (
    <ErrorTable
      title="Errors of the last 24 hours"
      about="Of all calls of this account, also those that named no game."
      errors={errors}
    />
  );
}

function AddForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const draft = useDraft<{ game_id: string }>("new game's id");
  const [gameId, setGameId] = useState(draft.restored?.game_id ?? "");
  const [refused, setRefused] = useState<{ id: string; problem?: string }>();
  const [isChecking, setChecking] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const hasGame = useHasGame();
  const form = useApiForm("POST /placements/{game_id}", NEW_GAME, { draft: "new game" });
  const changeGameId = (id: string) => {
    setGameId(id);
    draft.save(id === "" ? {} : { game_id: id });
  };
  const refuse = (id: string, problem: string) => {
    setRefused({ id, problem });
    field.current?.focus();
  };
  const send = async () => {
    const path = { game_id: gameId.trim() };
    if (path.game_id === "") return refuse("", "Fill in this field.");
    setChecking(true);
    try {
      if (await hasGame(path.game_id)) {
        return refuse(path.game_id, "Your account has this game already.");
      }
    } catch (error) {
      notifyFailed("The game was not added.", error);
      return;
    } finally {
      setChecking(false);
    }
    setRefused({ id: path.game_id });
    const placement = await form.send({ path });
    if (placement === undefined) return;
    draft.remove();
    notifyDone(`${placement.game_id} takes ads now.`);
    await navigate(gamePath(placement.game_id));
  };
  const discard = () => {
    draft.remove();
    form.discard();
  };
  const refusal = refused?.problem ?? (form.failure === undefined ? undefined : gameIdProblem(form.error));
  return (
    <DialogForm
      form={{
        failure: refusal === undefined ? form.failure : undefined,
        isSending: isChecking || form.isSending,
        discard,
      }}
      onSend={send}
      onClose={onClose}
      action="Add game"
    >
      <GameIdInput
        ref={field}
        value={gameId}
        onChange={changeGameId}
        error={gameId.trim() === refused?.id ? refusal : undefined}
        hasAutofocus
      />
      <TextInput
        label="Creator ID"
        description="Who makes the game, in your own system."
        {...textField(form, "creator_id")}
      />
      <List size="sm" c="dimmed">
        <List.Item>
          You keep {formatPercent(SHARE_PCT.usual)} of each charge, and a player sees at most{" "}
          {ADS_PER_SESSION.usual} ads in a session.
        </List.Item>
        <List.Item>The game takes all types of ads. All of this can be changed in its settings.</List.Item>
      </List>
    </DialogForm>
  );
}
