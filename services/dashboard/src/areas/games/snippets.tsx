import { Alert, Button, Card, Group, SegmentedControl, Select, Skeleton, Stack, Text } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { API_BASE } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { notifyFailed } from "../../kit/notify.ts";
import { Page, Section } from "../../kit/page.tsx";
import { Secret } from "../../kit/secret.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { useCopy } from "../../kit/use-copy.ts";
import { useUrlChoice } from "../../kit/use-url-state.ts";
import { gamePath } from "./game-path.ts";
import { useGameTraffic, usePlacements } from "./reads.ts";
import { KEY_PLACEHOLDER, keyLine, LANGUAGES, snippetFor } from "./snippet-texts.ts";
import classes from "./snippets.module.css";
import { Steps } from "./steps.tsx";
import { TrafficFailed } from "./traffic-failed.tsx";

const head = {
  title: "Snippets",
  about: "Copy, run, and watch the first ad arrive.",
  actions: (
    <Button component="a" href="/docs" variant="default">
      API reference
    </Button>
  ),
};

/** Code for a first ad, with the account's own game and key. */
export function Component() {
  const { canChange } = useAbility();
  const games = usePlacements();
  const ids = games.data?.map(({ game_id: id }) => id);
  const [named, setGame] = useUrlChoice("game", games.isFetching ? undefined : ids, "");
  const [language, setLanguage] = useUrlChoice("language", LANGUAGES, "curl");
  const [key, setKey] = useState<string>();
  const gameId = named === "" ? (ids?.[0] ?? "") : named;
  if (games.data === undefined && !games.error) {
    return (
      <Page {...head}>
        <Skeleton height={60} w={260} />
        <Skeleton height={96} />
        <Skeleton height={420} />
      </Page>
    );
  }
  if (games.data === undefined || games.data.length === 0) {
    return (
      <Page {...head}>
        <Card>
          {games.data === undefined ? (
            <Failed what="The games could not be loaded." read={games} />
          ) : (
            <Empty
              line="Every integration begins with a name."
              action={canChange && <ButtonLink to="/games">Add a game</ButtonLink>}
            >
              {canChange
                ? "Add a game first. Its snippets then stand here, ready to run."
                : "Ask an owner or a manager of the account to add a game."}
            </Empty>
          )}
        </Card>
      </Page>
    );
  }
  const snippet = snippetFor(language, { baseUrl: `${location.origin}${API_BASE}`, gameId });
  return (
    <Page {...head}>
      <Group gap="sm">
        <Select
          label="Game"
          data={ids ?? []}
          value={gameId}
          onChange={(value) => setGame(value ?? "")}
          allowDeselect={false}
          w={260}
        />
      </Group>
      <Section
        title="1. A key for your server"
        about="A server needs a key with the scope Serving, and nothing more."
      >
        <ServingKey gameId={gameId} value={key} onCreated={setKey} />
      </Section>
      <Section
        title="2. Code"
        about={
          snippet.install &&
          "The client comes with Diegetic's source code. Ask the operator of this installation for a copy, or use curl, which needs none."
        }
        actions={
          <SegmentedControl
            aria-label="Language"
            data={LANGUAGES.map((value) => ({
              value,
              label: snippetFor(value, { baseUrl: "", gameId }).label,
            }))}
            value={language}
            onChange={setLanguage}
          />
        }
      >
        <Stack gap="lg">
          {snippet.install && <CodeBlock label="Install" code={snippet.install} />}
          <CodeBlock label={snippet.file} code={snippet.code} />
          <CodeBlock label="Run" code={`${keyLine(key ?? KEY_PLACEHOLDER)}\n${snippet.run}`} />
        </Stack>
      </Section>
      <Section title="3. Watch it arrive" about="This changes by itself, a few seconds after each call.">
        <Arrival gameId={gameId} />
      </Section>
    </Page>
  );
}

interface ServingKeyProps {
  gameId: string;
  value: string | undefined;
  onCreated: (key: string) => void;
}

function ServingKey({ gameId, value, onCreated }: ServingKeyProps) {
  const { canAdminister } = useAbility();
  const create = useChange("POST /api-keys");
  if (value !== undefined) {
    return (
      <Card>
        <Secret
          label="serving key"
          value={value}
          warning="It stands in the snippet below until you leave this page. Keep it on a server, never in a game's client."
        />
      </Card>
    );
  }
  if (!canAdminister) {
    return (
      <Alert role="note" color="info" title="Owners create keys">
        Ask an owner of the account for a key with the scope Serving, and put it where {KEY_PLACEHOLDER}{" "}
        stands.
      </Alert>
    );
  }
  const send = async () => {
    try {
      const created = await create.mutateAsync({
        body: { label: `Server of ${gameId}`, scopes: ["serving"] },
      });
      onCreated(created.key);
    } catch (error) {
      notifyFailed("No key was created.", error, "a key was created");
    }
  };
  return (
    <Group gap="sm">
      <Button loading={create.isPending} onClick={() => void send()}>
        Create serving key
      </Button>
      <Text c="dimmed">Or put a key that you have where {KEY_PLACEHOLDER} stands.</Text>
    </Group>
  );
}

function CodeBlock({ label, code }: { label: string; code: string }) {
  const { shownRef, copy, isCopied } = useCopy<HTMLPreElement>(code);
  return (
    <section aria-label={label}>
      <div className={classes.head}>
        <Text fw={600} ff={label.includes(".") ? "monospace" : undefined} fz="xs">
          {label}
        </Text>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Copy ${label}`}
          leftSection={isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          onClick={() => void copy()}
        >
          {isCopied ? "Copied" : "Copy"}
        </Button>
      </div>
      <div className={classes.code}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls has to be reachable by keyboard */}
        <pre tabIndex={0} ref={shownRef}>
          {code}
        </pre>
      </div>
    </section>
  );
}

function Arrival({ gameId }: { gameId: string }) {
  const { traffic, game } = useGameTraffic(gameId);
  if (game === undefined) {
    return traffic.error ? (
      <TrafficFailed traffic={traffic}>The code above can still be copied.</TrafficFailed>
    ) : (
      <Skeleton height={160} />
    );
  }
  return (
    <Stack>
      <Steps traffic={game} />
      <Group>
        <ButtonLink to={gamePath(gameId)} variant="default">
          Open the game
        </ButtonLink>
      </Group>
    </Stack>
  );
}
