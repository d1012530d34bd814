import { eventually } from "@diegetic/testing/eventually";
import { isLongForm } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";
import { GAME, type InterruptedStack } from "./interrupted-stack.fixture.ts";

const TIMEOUT_MS = 300_000;
/** Longer than the longest time-out of a command or statement, and far shorter than what TCP itself takes to notice. */
const NOTICED = { timeoutMs: 60_000, everyMs: 100 };

type Store = "Redis" | "Postgres";
const ONE_STORE: [string, Store[]][] = [
  ["Redis", ["Redis"]],
  ["Postgres", ["Postgres"]],
];

export function describeSilentConnections(stack: InterruptedStack): void {
  describe("whose connections never hear anything again", () => {
    /** The id of an impression that was answered 201. */
    async function impression(): Promise<string | null> {
      const { api } = stack;
      const match = await api.request("POST", "/match", stack.matchBody());
      if (match.status !== 200) return null;
      const { match_id, campaign_id, creative_id } = match.body;
      const seen = { match_id, campaign_id, creative_id, game_id: GAME };
      const { status, body } = await api.request("POST", "/impressions", seen);
      return status === 201 ? body.impression_id : null;
    }

    const proxiesOf = {
      Redis: () => stack.world.redis.proxies,
      Postgres: () => [stack.world.postgresProxy],
    };
    it.each<[string, Store[]]>([
      ["Redis and Postgres", ["Redis", "Postgres"]],
      ...(isLongForm ? ONE_STORE : []),
    ])(
      "goes on when these are its connections to %s",
      async (_names, names) => {
        const counts = names.map((name) => {
          const open = proxiesOf[name]().map((proxy) => proxy.silence());
          return () => open.reduce((sum, stillOpen) => sum + stillOpen(), 0);
        });
        const before = counts.map((count) => count());
        expect(Math.min(...before)).toBeGreaterThan(0);
        const id = await eventually(impression, NOTICED);
        await eventually(async () => (await stack.api.request("GET", "/profile")).status === 200, NOTICED);
        await eventually(() => stack.isWritten(id), NOTICED);
        // A connection without pending requests, such as a listener whose data is also polled, need not notice.
        for (const [index, count] of counts.entries()) expect(count()).toBeLessThan(before[index] ?? 0);
      },
      TIMEOUT_MS,
    );
  });
}
