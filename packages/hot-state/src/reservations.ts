import { Cluster } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import {
  ADMIT_KEYS,
  ADMIT_VALUES,
  type AdmitRequest,
  type AdmitResult,
  admitParameters,
  type GameSessions,
  readAdmission,
} from "./game-session/sessions.ts";
import type { ImpressionTimes } from "./money/impression-times.ts";
import {
  type ReserveRequest,
  type ReserveResult,
  readReservation,
  reserveParameters,
} from "./money/reserve.ts";
import type { MoneyCommands } from "./money/types.ts";
import { defineJoinedScript, splitReplies } from "./script.ts";

/** Reserves the money of a match and requests its session seat, independently of each other. Settles after both. */
export type ReserveAndAdmit = (
  reservation: ReserveRequest,
  seat: AdmitRequest,
) => Promise<[ReserveResult, AdmitResult]>;

/** One command where one server holds both wallet and session, two at once otherwise. */
export function createReserveAndAdmit(
  redis: RedisConnection,
  times: ImpressionTimes,
  commands: { money: MoneyCommands; sessions: GameSessions },
): ReserveAndAdmit {
  const atOnce = reserveAndAdmitAtOnce(commands);
  if (redis instanceof Cluster) return atOnce;
  // The reservation first: full memory stops only a script that has not written yet.
  const last = { name: "admit", keys: ADMIT_KEYS, values: ADMIT_VALUES };
  const joined = defineJoinedScript(redis, "reserve", last);
  let isClusterNode = false;
  return async (request, seat) => {
    if (isClusterNode) return atOnce(request, seat);
    try {
      const reply = await joined(reserveParameters(request, times), admitParameters(seat));
      const [reservation, admission] = splitReplies(reply);
      return [readReservation(reservation), readAdmission(admission)];
    } catch (error) {
      if (!isAcrossHashSlots(error)) throw error;
      isClusterNode = true;
      return atOnce(request, seat);
    }
  };
}

/** The answer of a cluster's server that is addressed as a single one. The command did nothing. */
function isAcrossHashSlots(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("CROSSSLOT ");
}

/** By two concurrent commands. */
export function reserveAndAdmitAtOnce({
  money,
  sessions,
}: {
  money: Pick<MoneyCommands, "reserve">;
  sessions: Pick<GameSessions, "admit">;
}): ReserveAndAdmit {
  return async (reservation, seat) => {
    const both = [money.reserve(reservation), sessions.admit(seat)] as const;
    await Promise.allSettled(both);
    return Promise.all(both);
  };
}
