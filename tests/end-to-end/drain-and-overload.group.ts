import { setTimeout as sleep } from "node:timers/promises";
import { STALE_SENTENCE } from "@diegetic/testing/documented";
import { eventually } from "@diegetic/testing/eventually";
import { rounds } from "@diegetic/testing/rounds";
import { sendInTwoParts } from "@diegetic/testing/two-parts";
import { describe, expect, it } from "@jest/globals";
import { Random } from "../faults/random.ts";
import type { FaultyProxy } from "../faults/topology/faulty-proxy.ts";
import { AT_A_TIME, type InterruptedStack } from "./interrupted-stack.fixture.ts";

const TIMEOUT_MS = 300_000;
/** Of each client: leaves processor time for the start of instances. */
const PAUSE_MS = rounds(25, 0);
const PATIENCE = { timeoutMs: 60_000, everyMs: 20 };
/** What passes waits so long, each after the other: a request is on its way for some of them. */
const SLOW = { kind: "slow", minMs: 40, maxMs: 40, random: new Random(1) } as const;

export function describeDrainAndOverload(stack: InterruptedStack): void {
  describe("whose services are stopped or overloaded", () => {
    /**
     * Lets requests begin at `url` while a store is slow, and waits until something of them is on its way to it. The service has
     * read the headers of each: however busy the machine is, none of them waits to be accepted. Returns their statuses.
     */
    const begin = async (
      proxy: FaultyProxy | undefined,
      url: string,
      bodies: readonly object[],
    ): Promise<Promise<number | string>[]> => {
      if (proxy === undefined) throw new Error("there is no such store");
      proxy.set(SLOW);
      const requests = bodies.map((body) => sendInTwoParts({ url, method: "POST", key: stack.key }, body));
      await Promise.all(requests.map(({ headersRead }) => headersRead));
      const before = proxy.counts.chunksSlowed;
      for (const { sendBody } of requests) sendBody();
      await eventually(() => proxy.counts.chunksSlowed > before + bodies.length, PATIENCE);
      return requests.map(({ status }) => status.catch((error: unknown) => String(error)));
    };

    const beginMatches = (baseUrl: string, count: number) => {
      const bodies = Array.from({ length: count }, () => stack.matchBody());
      return begin(stack.world.redis.proxies[0], `${baseUrl}/match`, bodies);
    };

    it.each([
      ["match-1", () => stack.processes.describe().matchUrls[0]],
      ["front", () => stack.processes.describe().baseUrl],
    ] as const)(
      "SIGTERM lets %s answer what it has accepted",
      async (service, url) => {
        const endDuringMatches = async () => {
          const answers = await beginMatches(url() ?? "", 6);
          const pid = stack.processes.pidOf(service);
          process.kill(pid, "SIGTERM");
          const statuses = await Promise.all(answers);
          stack.world.redis.proxies[0]?.set({ kind: "pass" });
          await eventually(() => stack.processes.pidOf(service) !== pid, PATIENCE);
          await eventually(async () => (await stack.match(url() ?? "")) === 200, PATIENCE);
          expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
          return statuses;
        };
        let statuses = await endDuringMatches();
        // On a busy machine, a lease may end behind the slow store.
        for (let again = 0; again < 3 && statuses.includes(503); again += 1)
          statuses = await endDuringMatches();
        expect(statuses).toEqual(Array.from({ length: 6 }, () => 200));
      },
      TIMEOUT_MS,
    );

    it(
      "services that are restarted one after the other under load lose no request",
      async () => {
        const { baseUrl } = stack.processes.describe();
        const refused: unknown[] = [];
        let answered = 0;
        let stale = 0;
        const stop = new AbortController();
        const client = async () => {
          while (!stop.signal.aborted) {
            const { status, body } = await stack.ask(baseUrl).catch((error: unknown) => ({
              status: String(error),
              body: undefined,
            }));
            // On a busy machine, a lease may end while an instance starts.
            if (body?.detail === STALE_SENTENCE) stale += 1;
            else if (status !== 200) refused.push({ status, body });
            answered += 1;
            await sleep(PAUSE_MS);
          }
        };
        const load = Array.from({ length: AT_A_TIME / 2 }, client);
        try {
          for (const service of ["match-1", "match-2", "match-1", "match-2"] as const) {
            const pid = stack.processes.pidOf(service);
            const before = answered;
            process.kill(pid, "SIGTERM");
            await eventually(
              () => stack.processes.pidOf(service) !== pid && answered > before + 100,
              PATIENCE,
            );
          }
        } finally {
          stop.abort();
          await Promise.all(load);
        }
        expect(refused).toEqual([]);
        expect(stale).toBeLessThan(answered / 10);
      },
      TIMEOUT_MS,
    );

    it(
      "SIGTERM lets management answer what it has accepted, and it counts once",
      async () => {
        const { managementUrl } = stack.processes.describe();
        const before = (await stack.api.request("GET", "/profile")).body.balance_cents;
        const deposits = Array.from({ length: 4 }, () => ({ amount_cents: 7 }));
        const answers = await begin(stack.world.postgresProxy, `${managementUrl}/deposit`, deposits);
        const pid = stack.processes.pidOf("management");
        process.kill(pid, "SIGTERM");
        expect(await Promise.all(answers)).toEqual([200, 200, 200, 200]);
        stack.world.postgresProxy.set({ kind: "pass" });
        await eventually(() => stack.processes.pidOf("management") !== pid, PATIENCE);
        const balance = async () => (await stack.api.request("GET", "/profile")).body.balance_cents;
        await eventually(async () => (await balance()) === before + 28, PATIENCE);
      },
      TIMEOUT_MS,
    );

    it(
      "more requests than fit are answered 503, and nothing else suffers",
      async () => {
        const baseUrl = stack.processes.describe().matchUrls[0] ?? "";
        const pid = stack.processes.pidOf("match-1");
        await eventually(async () => (await stack.match(baseUrl)) === 200, PATIENCE);
        // On a busy machine, a lease may end behind the slow store: then every answer is 503, and it tries again.
        const accepted = await eventually(async () => {
          const answers = await beginMatches(baseUrl, 5 * AT_A_TIME);
          const health = await fetch(new URL("/healthz", baseUrl));
          const statuses = await Promise.all(answers);
          stack.world.redis.proxies[0]?.set({ kind: "pass" });
          expect(health.status).toBe(200);
          expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
          expect(new Set(statuses)).toEqual(new Set([200, 503]));
          return statuses.filter((status) => status === 200).length;
        }, PATIENCE);
        expect(accepted).toBeGreaterThanOrEqual(AT_A_TIME);
        await eventually(async () => (await stack.match(baseUrl)) === 200, PATIENCE);
        expect(stack.processes.pidOf("match-1")).toBe(pid);
      },
      TIMEOUT_MS,
    );
  });
}
