import { eventually } from "@diegetic/testing/eventually";
import { sendInTwoParts } from "@diegetic/testing/two-parts";
import { type Attempt, type ImpressionOperation, isRefusedKey } from "../history.ts";
import { whileHung } from "../topology/signals.ts";
import { SUSPENDED_INSTANCE } from "../topology/world.ts";
import type { Client, ClientKey } from "../workload/client.ts";
import { CATEGORIES } from "../workload/market.ts";
import { askForMatch, attemptImpression } from "../workload/players.ts";
import {
  ALL_POSSIBLE_WITHIN_MS,
  type Fault,
  type FaultContext,
  requireCount,
  runningPid,
  sleep,
} from "./fault.ts";
import { holdMatches, recordUntilKnown } from "./held-matches.ts";

const UNDER_WAY = 12;
const AT_A_TIME = 3;
const HELD = 3;
/** By then, requests to a stopped process have reached its socket. */
const SENT_WITHIN_MS = 100;
/** Requests sent in two parts, which wait for a suspended instance. */
const IN_TWO_PARTS = 2;
const WAITING = 6;
const PATIENCE = { timeoutMs: ALL_POSSIBLE_WITHIN_MS, everyMs: 100 };
/** Requests without a valid key are limited to 100 a minute. */
const PROBE_EVERY_MS = 1_000;
/** Far more than a run's requests: the limit that a key without a limit may pass on. */
const RATE_LIMIT_PER_MINUTE = 1_000_000_000;

/** Ends things in use: a key with requests in progress, a creative with open holds. */
export function endingFaults(): Fault[] {
  return [
    { name: "revoke a key that is in use", track: "services", inject: revokeKey },
    { name: "revoke a key while an instance is suspended", track: "services", inject: revokeWhileSuspended },
    { name: "delete a creative while holds are out", track: "services", inject: deleteCreative },
  ];
}

/** The game continues with another key, and retries what the old key was refused. */
async function revokeKey(context: FaultContext): Promise<string> {
  const { market, history } = context;
  const { developer } = market;
  const old = developer.keepingTo(developer.key);
  const next = await createKey(context, developer);
  const held = await holdMatches(context, old, UNDER_WAY);
  developer.key = next;
  const halves = await sendHalves(context, old, held.splice(0, IN_TWO_PARTS));
  const queue = held.values();
  const send = async () => {
    for (const operation of queue) await attemptImpression(old, operation);
  };
  const [answeredMs] = await Promise.all([
    revoke(developer, old.key),
    ...Array.from({ length: AT_A_TIME }, send),
  ]);
  history.revocations.push({ id: old.key.id, answeredMs });
  const underWay = held.map(({ attempts }) => attempts.at(-1)?.status ?? "none");
  const completed = await halves.complete();
  const refused = await refusalsOf(context, old);
  for (const operation of [...held, ...halves.impressions]) await recordUntilKnown(developer, operation);
  return `${requireCount("refused afterwards", refused)}; under way: ${underWay.join(" ")}; completed: ${completed.join(" ")}`;
}

/** Returns the time of the answer. */
function revoke(developer: Client, { id }: ClientKey): Promise<number> {
  return eventually(async () => {
    const { status, endedMs } = await developer.call("DELETE", `/api-keys/${id}`);
    return status === 204 ? endedMs : undefined;
  }, PATIENCE);
}

/** Matches and impressions whose headers were read and whose bodies were not sent yet. */
async function sendHalves(
  { world, market, history, random }: FaultContext,
  { key }: Client,
  impressions: ImpressionOperation[],
): Promise<{ impressions: ImpressionOperation[]; complete: () => Promise<(number | null)[]> }> {
  const url = random.pick(world.stack.describe().matchUrls);
  const userId = `in-parts-${random.integer(0, 1_000_000_000)}`;
  const { gameId } = random.pick(market.games);
  const requests = [
    ...Array.from({ length: IN_TWO_PARTS }, () => ({
      path: "/match",
      body: { game_id: gameId, user_id: userId, game_context: { category: random.pick(CATEGORIES) } },
      note: (call: Attempt) =>
        history.matches.push({ ...call, gameId, userId, sessionId: null, match: null }),
    })),
    ...impressions.map((operation) => ({
      path: "/impressions",
      body: {
        campaign_id: operation.campaignId,
        creative_id: operation.creativeId,
        game_id: operation.gameId,
        match_id: operation.matchId,
      },
      note: (call: Attempt) => operation.attempts.push(call),
    })),
  ];
  const sent = requests.map(({ path, body, note }) => {
    const parts = sendInTwoParts({ url: `${url}${path}`, method: "POST", key: key.text }, body);
    return { parts, note };
  });
  await Promise.allSettled(sent.map(({ parts }) => parts.headersRead));
  const completeOne = async ({ parts, note }: (typeof sent)[number]) => {
    // Its effect depends on the body, which was not sent before.
    const startedMs = Date.now();
    parts.sendBody();
    const status = await parts.status.catch(() => null);
    note({ startedMs, endedMs: Date.now(), status, keyId: key.id });
    return status;
  };
  return { impressions, complete: () => Promise.all(sent.map(completeOne)) };
}

/**
 * Requests sent after the revocation was answered wait for a suspended instance that does not know about it, and whose
 * clock stood still.
 */
async function revokeWhileSuspended(context: FaultContext): Promise<string> {
  const { world, market, history, random } = context;
  const { developer } = market;
  const old = developer.keepingTo(developer.key);
  const next = await createKey(context, developer);
  const held = await holdMatches(context, old, HELD);
  developer.key = next;
  const { matchUrls } = world.stack.describe();
  const suspended = old.at(matchUrls[Number(SUSPENDED_INSTANCE.at(-1)) - 1] ?? "");
  const userId = `suspended-${random.integer(0, 1_000_000_000)}`;
  const ask = (index: number) =>
    askForMatch(suspended, history, {
      game: random.pick(market.games),
      category: CATEGORIES[index % CATEGORIES.length] ?? "",
      userId: `${userId}-${index}`,
      sessionId: null,
    });
  const askAll = () => Array.from({ length: WAITING }, (_, index) => ask(index));
  // Also opens connections in advance.
  await Promise.all(askAll());
  history.keysOfSuspended.add(old.key.id);
  const waiting = await whileHung(await runningPid(world, SUSPENDED_INSTANCE), async () => {
    history.revocations.push({ id: old.key.id, answeredMs: await revoke(developer, old.key) });
    const requests = [...askAll(), ...held.map((operation) => attemptImpression(suspended, operation))];
    await sleep(SENT_WITHIN_MS);
    return requests;
  });
  await Promise.all(waiting);
  const isLate = (call: { keyId: string; startedMs: number }) =>
    call.keyId === old.key.id &&
    call.startedMs > (history.revocations.findLast(({ id }) => id === old.key.id)?.answeredMs ?? 0);
  const answers = [...history.matches, ...held.flatMap(({ attempts }) => attempts)]
    .filter(isLate)
    .map(({ status }) => status ?? "none");
  for (const operation of held) await recordUntilKnown(developer, operation);
  return `${requireCount("waited", waiting.length)}: ${answers.join(" ")}`;
}

/** A key of the same account, once every instance knows it. */
async function createKey({ world, random }: FaultContext, developer: Client): Promise<ClientKey> {
  const label = `game ${random.integer(0, 1_000_000_000)}`;
  const body = { label, rate_limit_per_minute: RATE_LIMIT_PER_MINUTE };
  const key = await eventually(async () => {
    const answer = await developer.call("POST", "/api-keys", body, { "Idempotency-Key": label });
    return answer.status === 201 ? { id: answer.body.id, text: answer.body.key } : undefined;
  }, PATIENCE);
  const probe = { game_id: "game-1", user_id: "probe", game_context: { category: "none" } };
  for (const url of world.stack.describe().matchUrls) {
    const client = developer.keepingTo(key).at(url);
    await eventually(async () => (await client.call("POST", "/match", probe)).status === 204, {
      ...PATIENCE,
      everyMs: PROBE_EVERY_MS,
    });
  }
  return key;
}

/** Asks every instance until one refuses; the checker verifies that none accepts. */
async function refusalsOf({ world, market, history, random }: FaultContext, old: Client): Promise<number> {
  let refused = 0;
  const { baseUrl, matchUrls } = world.stack.describe();
  const userId = `revoked-${random.integer(0, 1_000_000_000)}`;
  const askAll = async () => {
    for (const url of [baseUrl, ...matchUrls]) {
      const who = { game: random.pick(market.games), category: "sky", userId, sessionId: null };
      await askForMatch(old.at(url), history, who);
      const status = history.matches.findLast((call) => call.userId === userId)?.status ?? null;
      if (isRefusedKey({ status })) refused += 1;
    }
    return refused > 0;
  };
  await eventually(askAll, { ...PATIENCE, everyMs: PROBE_EVERY_MS });
  return refused;
}

/** Another creative replaces it; impressions of its earlier matches can still be recorded. */
async function deleteCreative(context: FaultContext): Promise<string> {
  const { market, history } = context;
  const { developer } = market;
  const [operation, ...others] = await holdMatches(context, developer, HELD);
  const campaign = market.campaigns.find(({ campaignId }) => campaignId === operation?.campaignId);
  if (operation === undefined || campaign === undefined) throw new Error("there is no such campaign");
  const { client } = campaign.advertiser;
  const creative = {
    creative_type: "narrative_hook",
    brand_name: "Emberroast",
    narrative_hook: "A lid rattles.",
    max_uses_per_game: campaign.maxUsesPerGame,
  };
  await eventually(async () => {
    const answer = await client.call("POST", `/campaigns/${campaign.campaignId}/creatives`, creative);
    return answer.status === 201;
  }, PATIENCE);
  const deletion = await eventually(async () => {
    const answer = await client.call("DELETE", `/creatives/${operation.creativeId}`);
    return answer.status === 204 || answer.status === 404 ? answer : undefined;
  }, PATIENCE);
  // 404: an attempt without an answer deleted it, so nothing confirmed that it is in force.
  if (deletion.status === 204) {
    history.deletions.push({ id: operation.creativeId, answeredMs: deletion.endedMs });
  }
  const status = await recordUntilKnown(developer, operation);
  for (const other of others) await recordUntilKnown(developer, other);
  return `answered ${deletion.status}, an impression of it ${status}`;
}
