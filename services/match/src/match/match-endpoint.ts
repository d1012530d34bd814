import type { Candidate } from "@diegetic/ad-rules";
import { newId, servingApi } from "@diegetic/contracts";
import { type Answer, type Endpoint, endpoint, type RequestContext } from "@diegetic/service-kit";
import { statusOfFailure } from "../status-of-failure.ts";
import { Attempts } from "./attempts.ts";
import type { MatchDependencies } from "./dependencies.ts";
import { type LoadedRequest, load, withCurrentPlacement } from "./load.ts";
import { NO_MATCH_HEADER, type NoMatchReason, presentMatch, presentNoMatch } from "./present.ts";
import { reserveOne, type Trial, withdraw, withdrawLater } from "./reserve-one.ts";

/** `POST /match`: load → decide → commit → present (docs/behaviour.md#matching). */
export function createMatchEndpoint(dependencies: MatchDependencies): Endpoint {
  return endpoint(servingApi.operations.match, (context) => handleMatch(dependencies, context));
}

async function handleMatch(dependencies: MatchDependencies, context: RequestContext): Promise<Answer> {
  const request = load(dependencies, context);
  const trial: Trial = {
    matchId: newId("mat"),
    attempts: new Attempts(),
    lackedMoney: false,
    refused: [],
  };
  try {
    const taken = context.takeQuota(
      `match-game:${request.body.game_id}`,
      dependencies.settings.rateLimitMatchPerGame,
    );
    if (taken !== undefined) await taken;
    const answer = await findMatch(dependencies, request, trial);
    noteAnswer(dependencies, request, answer);
    return answer;
  } catch (error) {
    withdrawLater(dependencies, request, trial);
    dependencies.traffic.gameRefusal(
      request.body.game_id,
      "match",
      statusOfFailure(error),
      dependencies.nowMs(),
    );
    throw error;
  }
}

function noteAnswer({ traffic, nowMs }: MatchDependencies, request: LoadedRequest, answer: Answer): void {
  const { body, placement } = request;
  traffic.match({
    gameId: body.game_id,
    accountId: placement.account_id,
    atMs: nowMs(),
    context: body.game_context,
    countryCode: body.player_geo?.country_code ?? null,
    noMatchReason: answer.headers?.[NO_MATCH_HEADER],
    secrets: [body.user_id, body.session_id],
  });
}

async function findMatch(
  dependencies: MatchDependencies,
  loaded: LoadedRequest,
  trial: Trial,
): Promise<Answer> {
  for (;;) {
    const request = withCurrentPlacement(dependencies, loaded);
    const decision = decide(dependencies, request, trial);
    if (decision.candidate === null) {
      return presentNoMatch(await turnAway(dependencies, request, trial, decision));
    }
    const tried = await reserveOne(dependencies, request, decision.candidate, trial);
    switch (tried.outcome) {
      case "held":
        return presentMatch(tried);
      case "session_full":
        return presentNoMatch("session_cap");
      case "refused":
        break;
      case "outdated":
        await dependencies.catchUp();
    }
  }
}

/** Nobody to try: why, apart from the session's cap, and whether one was passed over that had just been refused. */
interface Nobody {
  candidate: null;
  reason: NoMatchReason;
  passedOver: boolean;
}
/** Whom to try; or why nobody (docs/behaviour.md#reasons-for-no-match). */
type Decision = { candidate: Candidate } | Nobody;

/** Synchronous and on what is known right now: rules 1 to 7, without what was refused, here or to others a moment ago. */
function decide(dependencies: MatchDependencies, request: LoadedRequest, trial: Trial): Decision {
  dependencies.requireFresh();
  const { placement, body } = request;
  const scene = {
    placement,
    context: body.game_context,
    geo: body.player_geo,
    nowMs: dependencies.nowMs(),
  };
  const { index } = dependencies.catalog;
  let passedOver = false;
  if (trial.attempts.left > 0) {
    const { shareRefusals, random } = dependencies;
    const shared = shareRefusals.of(placement.account_id, scene.nowMs);
    const exclude = shared.length === 0 ? trial.refused : [...trial.refused, ...shared];
    const excludeAdvertisers = trial.attempts.quarantine();
    let draw = index.draw(scene, random, { exclude, excludeAdvertisers });
    if (draw.candidate === null && excludeAdvertisers.length > 0)
      draw = index.draw(scene, random, { exclude });
    if (draw.candidate !== null) return { candidate: draw.candidate };
    const lacksShare =
      shared.length > 0 && index.draw(scene, random, { exclude: trial.refused }).candidate !== null;
    trial.lackedMoney ||= draw.lackedMoney || lacksShare;
    passedOver = draw.passedOver || lacksShare;
  }
  return { candidate: null, reason: index.reasonForNone(placement, trial.lackedMoney), passedOver };
}

/**
 * Nothing to try: the request still keeps its player session alive. A session that has had all its ads is the reason
 * before anything else is that a campaign which passes rules 1 to 7 was refused for (docs/behaviour.md#reasons-for-no-match).
 */
async function turnAway(
  dependencies: MatchDependencies,
  request: LoadedRequest,
  trial: Trial,
  { reason, passedOver }: Nobody,
): Promise<NoMatchReason> {
  if (trial.admission !== undefined) {
    await withdraw(dependencies, request, trial);
    return reason;
  }
  const ads = await dependencies.sessions.touch(request.session, request.sessionIdleMs);
  return passedOver && ads >= request.placement.max_ads_per_session ? "session_cap" : reason;
}
