import { eventually } from "@diegetic/testing/eventually";
import { describe, expect, it } from "@jest/globals";
import { checkLogs } from "../faults/checker/check-logs.ts";
import { SERVICES } from "../faults/topology/world.ts";
import { GAME, type InterruptedStack } from "./interrupted-stack.fixture.ts";

const TIMEOUT_MS = 240_000;
const PATIENCE = { timeoutMs: 90_000, everyMs: 100 };
const ROUNDS = 5;
const USERS_OF_POSTGRES = ["management", "billing"];

export function describeEndedConnections(stack: InterruptedStack): void {
  describe("whose stores end every connection", () => {
    /** Whether every service does its work: a match, an impression, a read, a change, and what billing writes. */
    async function serves(name: string): Promise<boolean> {
      const { api } = stack;
      const match = await api.request("POST", "/match", stack.matchBody());
      if (match.status !== 200) return false;
      const { match_id, campaign_id, creative_id } = match.body;
      const impression = { match_id, campaign_id, creative_id, game_id: GAME };
      const seen = await api.request("POST", "/impressions", impression);
      const profile = await api.request("GET", "/profile");
      const changed = await api.request("PATCH", `/campaigns/${campaign_id}`, { name });
      if (seen.status !== 201 || profile.status !== 200 || changed.status !== 200) return false;
      await eventually(() => stack.isWritten(seen.body.impression_id), PATIENCE);
      return true;
    }

    const pids = () => SERVICES.map((service) => stack.processes.pidOf(service));

    /** Answers who was connected: names that services give their connections. */
    async function endConnectionsOfPostgres(): Promise<string[]> {
      const rows = await stack.world.query<{ name: string }>(
        `SELECT application_name AS name, pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      );
      return rows.map(({ name }) => name);
    }

    async function endConnectionsOfRedis(): Promise<string[]> {
      const names: string[] = [];
      for (const index of stack.world.redis.nodes.keys()) {
        const node = stack.world.redis.connectNode(index, "administrator");
        const list = String(await node.call("CLIENT", "LIST"));
        names.push(...[...list.matchAll(/ name=(\S+)/g)].map(([, name = ""]) => name));
        for (const type of ["normal", "pubsub"]) {
          await node.call("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes");
        }
        node.disconnect();
      }
      return names;
    }

    it(
      "no process ends, idle or at work, and all of them work again",
      async () => {
        const before = pids();
        const ended = { postgres: await endConnectionsOfPostgres(), redis: await endConnectionsOfRedis() };
        const isNamed = (names: string[], service: string) => names.some((name) => name.includes(service));
        for (const name of USERS_OF_POSTGRES)
          expect([name, isNamed(ended.postgres, name)]).toEqual([name, true]);
        for (const name of SERVICES.filter((service) => service !== "front")) {
          expect([name, isNamed(ended.redis, name)]).toEqual([name, true]);
        }
        await eventually(() => serves("after an idle time"), PATIENCE);

        for (let round = 0; round < ROUNDS; round += 1) {
          const atWork = Array.from({ length: 8 }, (_, index) => serves(`at work ${round} ${index}`));
          await endConnectionsOfPostgres();
          await endConnectionsOfRedis();
          await Promise.allSettled(atWork);
          await eventually(() => serves(`after work ${round}`), PATIENCE);
        }
        expect(pids()).toEqual(before);
        expect(checkLogs(stack.world).violations).toEqual([]);
      },
      TIMEOUT_MS,
    );
  });
}
