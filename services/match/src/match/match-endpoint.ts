import type { Candidate } from "@diegetic/ad-rules";
import { type NoMatchReason, OF_MATCHES_OF_GAME, servingApi } from "@diegetic/contracts";
import { type Answer, type Endpoint, endpoint, type RequestContext } from "@diegetic/service-kit";
import { tracing } from "@diegetic/tracing";
import { countFailure } from "../failures.ts";
import type { MatchDependencies } from "./dependencies.ts";
import { type LoadedRequest, loadMatchRequest, withCurrentPlacement } from "./load.ts";
import { type HeldMatch, toMatchAnswer, toNoMatchAnswer } from "./match-answer.ts";
import { type MatchState, newMatchState, returnSeat, returnSeatLater } from "./match-state.ts";
import { reserveOne } from "./reserve-one.ts";

/** A scene counts as one more request for each of these (docs/behaviour.md#rate-limits). */
const EFFORT_PER_REQUEST = 16 * 1_024;

/** `POST /match`: load → decide → reserve → respond (docs/behaviour.md#matching). */
export function createMatchEndpoint(dependencies: MatchDependencies): Endpoint {
  return endpoint(servingApi.operations.match, (context) => handleMatch(dependencies, context));
}

async function handleMatch(dependencies: MatchDependencies, context: RequestContext): Promise<Answer> {
  const request = loadMatchRequest(dependencies, context);
  tracing?.annotate({ "diegetic.game_id": request.body.game_id });
  const state = newMatchState();
  try {
    const counted = context.countAgainst(
      "match-game",
      request.body.game_id,
      dependencies.settings.rateLimitMatchPerGame,
      OF_MATCHES_OF_GAME,
    );
    // Also without a promise: all requests of a turn are read before the first searches (docs/notes/performance-experiments.md).
    await counted;
    const found = await findMatch(dependencies, context, request, state);
    const noMatchReason = typeof found === "string" ? found : undefined;
    const answer = typeof found === "string" ? toNoMatchAnswer(found) : toMatchAnswer(found);
    recordAnswer(dependencies, request, noMatchReason);
    return answer;
  } catch (thrown) {
    returnSeatLater(dependencies, request, state);
    const game = { gameId: request.body.game_id, accountId: context.accountId };
    throw countFailure(dependencies, game, "match", thrown);
  }
}

function recordAnswer(
  { traffic, nowMs }: MatchDependencies,
  { body, placement }: LoadedRequest,
  noMatchReason: NoMatchReason | undefined,
): void {
  traffic.match({
    gameId: body.game_id,
    accountId: placement.account_id,
    atMs: nowMs(),
    context: body.game_context,
    countryCode: body.player_geo?.country_code ?? null,
    noMatchReason,
    secrets: [body.user_id, body.session_id],
  });
}

async function findMatch(
  dependencies: MatchDependencies,
  context: RequestContext,
  loaded: LoadedRequest,
  state: MatchState,
): Promise<HeldMatch | NoMatchReason> {
  for (;;) {
    const request = withCurrentPlacement(dependencies, loaded);
    const decision = decide(dependencies, request, state);
    const counted = context.countAs(1 + Math.floor(state.effort / EFFORT_PER_REQUEST));
    if (counted !== undefined) await counted;
    if (decision.candidate === null) return endWithoutCandidate(dependencies, request, state, decision);
    const tried = await reserveOne(dependencies, request, decision.candidate, state);
    switch (tried.outcome) {
      case "held":
        return tried;
      case "session_full":
        return "session_cap";
      case "refused":
        break;
      case "outdated":
        await dependencies.catchUp();
    }
  }
}

/** No candidate: the reason, apart from session caps, and whether a recently refused campaign was skipped. */
interface NoCandidate {
  candidate: null;
  reason: NoMatchReason;
  passedOver: boolean;
}
/** The candidate to try, or the reason for none (docs/behaviour.md#reasons-for-no-match). */
type Decision = { candidate: Candidate } | NoCandidate;

/** Applies rules 1 to 7 synchronously to the current snapshot, and skips recently refused campaigns. */
function decide(dependencies: MatchDependencies, request: LoadedRequest, state: MatchState): Decision {
  dependencies.requireFresh();
  const { placement, body } = request;
  const scene = {
    placement,
    context: body.game_context,
    geo: body.player_geo,
    nowMs: dependencies.nowMs(),
  };
  const { index } = dependencies.catalog;
  dependencies.tidyBetweenRequests();
  let passedOver = false;
  if (state.attempts.left > 0) {
    const { shareRefusals, random } = dependencies;
    const shared = shareRefusals.of(placement.account_id, scene.nowMs);
    const exclude = shared.length === 0 ? state.refused : [...state.refused, ...shared];
    const excludeAdvertisers = state.attempts.deferred();
    let draw = index.draw(scene, random, { exclude, excludeAdvertisers });
    state.effort = Math.max(state.effort, draw.effort);
    if (draw.candidate === null && excludeAdvertisers.length > 0)
      draw = index.draw(scene, random, { exclude });
    if (draw.candidate !== null) return { candidate: draw.candidate };
    const lacksShare =
      shared.length > 0 && index.draw(scene, random, { exclude: state.refused }).candidate !== null;
    state.lackedMoney ||= draw.lackedMoney || lacksShare;
    passedOver = draw.passedOver || lacksShare;
  }
  return { candidate: null, reason: index.reasonForNone(placement, state.lackedMoney), passedOver };
}

/**
 * Ends a request without a candidate, which still keeps its player session alive. A full session takes precedence over any
 * reason for which an eligible campaign was refused (docs/behaviour.md#reasons-for-no-match).
 */
async function endWithoutCandidate(
  dependencies: MatchDependencies,
  request: LoadedRequest,
  state: MatchState,
  { reason, passedOver }: NoCandidate,
): Promise<NoMatchReason> {
  if (state.admission !== undefined) {
    await returnSeat(dependencies, request, state);
    return reason;
  }
  const ads = await dependencies.sessions.touch(request.session, request.sessionIdleMs);
  return passedOver && ads >= request.placement.max_ads_per_session ? "session_cap" : reason;
}
