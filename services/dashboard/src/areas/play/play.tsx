import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { type Ref, useEffect } from "react";
import { Link } from "react-router";
import { hasStatus } from "../../api/api-error.ts";
import { useRead } from "../../api/queries.ts";
import { Brand } from "../../kit/brand.tsx";
import { ButtonLink } from "../../kit/button-link.tsx";
import { Loading } from "../../kit/loading.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { Scene } from "../../scene/scene.tsx";
import { Story } from "../../scene/story.tsx";
import { FIRST_SCENE } from "./adventure.ts";
import { Panel } from "./panel.tsx";
import classes from "./play.module.css";
import { type Demo, type Turn, useGame } from "./use-game.ts";

/** The demo game: a text adventure against the real stack, with what happens behind it beside it. */
export function Component() {
  const { data, error, refetch } = useRead("GET /demo");
  useEffect(() => {
    document.title = "The bell of Moonlit Keep · Diegetic";
  }, []);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <Brand />
        <Group gap="md">
          <Anchor href="/docs">API reference</Anchor>
          <Anchor component={Link} to="/">
            Dashboard
          </Anchor>
        </Group>
      </header>
      {data !== undefined ? (
        <Game demo={data} />
      ) : hasStatus(error, 404) ? (
        <main>
          <Empty
            line="The keep stands empty tonight."
            action={<ButtonLink to="/">Open the dashboard</ButtonLink>}
          >
            This installation runs without demo data, so there is no game to play here.
          </Empty>
        </main>
      ) : error ? (
        <main>
          <Failed what="The game could not be loaded." read={{ error, refetch }} />
        </main>
      ) : (
        <Loading />
      )}
    </div>
  );
}

function Game({ demo }: { demo: Demo }) {
  const { turn, exchanges, enter, restart, lineRef } = useGame(demo);
  return (
    <div className={classes.board}>
      <main className={classes.stage}>
        {turn === undefined ? (
          <Stack gap="md">
            <Scene pipeline={{ lighting: "moonlight", effects: "fog" }} place="castle" />
            <Title order={1} className={classes.title ?? ""}>
              The bell of Moonlit Keep
            </Title>
            <Text c="dimmed" maw="60ch">
              A short story of up to seven scenes. In every scene the game asks the service for an ad that
              fits, and weaves its line into the text. What that costs and earns is shown beside the story; it
              is real. The ledger is the demo advertiser's; another advertiser of this installation may win a
              scene.
            </Text>
            <div>
              <Button onClick={() => void enter(FIRST_SCENE)}>Begin the story</Button>
            </div>
          </Stack>
        ) : (
          <CurrentScene turn={turn} lineRef={lineRef} onChoose={(to) => void enter(to)} onRestart={restart} />
        )}
      </main>
      <Panel turn={turn} exchanges={exchanges} />
    </div>
  );
}

interface CurrentSceneProps {
  turn: Turn;
  lineRef: Ref<HTMLParagraphElement>;
  onChoose: (to: Turn["scene"]["choices"][number]["to"]) => void;
  onRestart: () => void;
}

function CurrentScene({ turn, lineRef, onChoose, onRestart }: CurrentSceneProps) {
  const { scene, ad, step } = turn;
  return (
    <Stack gap="md">
      <Scene pipeline={{ ...scene.look, ...ad?.biased_pipeline }} place={scene.place} staysInPlace>
        <Title order={1} className={classes.title ?? ""}>
          {scene.title}
        </Title>
        {step === "asking" ? (
          <p className={classes.waiting}>{scene.before}</p>
        ) : ad === undefined ? (
          <div className={classes.plain}>
            <p>{scene.before}</p>
            <p>{scene.after}</p>
          </div>
        ) : (
          <Story
            before={scene.before}
            line={ad.narrative_hook}
            lineRef={lineRef}
            after={scene.after}
            {...(scene.speaker !== undefined && { speaker: scene.speaker })}
          />
        )}
      </Scene>
      <Group gap="sm" role="group" aria-label="What do you do?">
        {scene.choices.map(({ label, to }) => (
          <Button
            key={label}
            variant="default"
            disabled={step === "asking"}
            data-busy={step === "asking"}
            onClick={() => onChoose(to)}
          >
            {label}
          </Button>
        ))}
        <Button variant="subtle" color="gray" onClick={onRestart}>
          Start over as another player
        </Button>
      </Group>
    </Stack>
  );
}
