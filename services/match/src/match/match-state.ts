import { newId } from "@diegetic/contracts";
import type { AdmitResult } from "@diegetic/hot-state";
import { Attempts } from "./attempts.ts";
import type { MatchDependencies } from "./dependencies.ts";
import type { LoadedRequest } from "./load.ts";

/** The state of one match request across its reservations. */
export interface MatchState {
  /** Of its reservations and its session seat. Replaced once a wallet may still hold it, or has charged it. */
  matchId: string;
  attempts: Attempts;
  /** A tried campaign lacked money, or one was skipped because it recently did. */
  lackedMoney: boolean;
  /** Campaigns whose reservation was refused. */
  refused: string[];
  /** Of reading the texts of the scene (`Draw`). */
  effort: number;
  /** The match's session seat, from the first reservation. */
  admission?: AdmitResult;
}

/** Of a request that has tried no campaign. */
export function newMatchState(): MatchState {
  return { matchId: newId("mat"), attempts: new Attempts(), lackedMoney: false, refused: [], effort: 0 };
}

/** Returns the match's session seat, if it has one. */
export async function returnSeat(
  { sessions }: Pick<MatchDependencies, "sessions">,
  request: LoadedRequest,
  state: MatchState,
): Promise<void> {
  if (state.admission?.admitted) await sessions.returnSeat(request.session, state.matchId);
}

/** `returnSeat` in the background after a failure, also when it is unknown whether the match has a seat. */
export function returnSeatLater(
  { sessions, logger }: Pick<MatchDependencies, "sessions" | "logger">,
  request: LoadedRequest,
  state: MatchState,
): void {
  if (state.attempts.isUnused) return;
  sessions
    .returnSeat(request.session, state.matchId)
    .catch((error: unknown) => logger.debug({ err: error }, "session seat may remain taken"));
}

/** A wallet that does not answer for a match may hold it, or have charged it: another campaign's hold needs its own id. */
export async function takeNewMatchId(
  dependencies: Pick<MatchDependencies, "sessions">,
  request: LoadedRequest,
  state: MatchState,
): Promise<void> {
  await returnSeat(dependencies, request, state);
  state.matchId = newId("mat");
  delete state.admission;
}
