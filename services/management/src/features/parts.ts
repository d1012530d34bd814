import type { Database, Pipeline, Reader } from "@diegetic/database";
import type {
  AccountCalls,
  GameCalls,
  MoneyCommands,
  RedisConnection,
  SessionIdleTimes,
  SessionReader,
  TrafficReader,
} from "@diegetic/hot-state";
import type { RateLimit, ReadinessChecks, WebhookAddresses } from "@diegetic/service-kit";
import type { Publishing } from "../core/publishing/publishing.ts";
import type { CallerReads } from "../core/read-your-writes/caller-reads.ts";
import type { ReadingBarrier } from "../core/read-your-writes/reading-barrier.ts";
import type { ExpiringCache } from "../core/shared/expiring-cache.ts";
import type { Clock } from "../core/shared/time.ts";
import type { ReportQueue } from "./analytics/report-queue.ts";
import type { DefaultLimits } from "./api-keys/api-key.ts";
import type { Market } from "./explain/market.ts";
import type { Auth } from "./sessions/auth.ts";
import type { DeviceCookies } from "./sessions/device-cookie.ts";
import type { SignUpPolicy } from "./sessions/sign-up-policy.ts";
import type { MarketWords } from "./traffic/words.ts";

/** The dependencies of the features' handlers. */
export interface Parts {
  /** The name of this process, which others may have too. */
  instanceName: string;
  /** By which its report is distinguished from those of others. */
  processId: string;
  database: Database;
  /** For hand-written read statements. */
  reader: Reader;
  /** For changes of campaigns. */
  pipeline: Pipeline;
  redis: RedisConnection;
  wallets: MoneyCommands;
  publishing: Publishing;
  reads: CallerReads;
  /** For reports on impressions themselves, over few connections of their own. */
  reports: Reader;
  reportQueue: ReportQueue;
  barrier: ReadingBarrier;
  clock: Clock;
  readiness: ReadinessChecks;
  defaultLimits: DefaultLimits;
  /** The installation's secret, from which secrets of keys and webhooks are derived, so that a retry can return them again. */
  keyDerivationSecret: string;
  auth: Auth;
  /** Name of the session's cookie. */
  cookieName: string;
  /** Sign-in and sign-up attempts per minute from one client address, and sign-in attempts per known browser of a user. */
  rateLimitSignIn: RateLimit;
  devices: DeviceCookies;
  signUpPolicy: SignUpPolicy;
  /** Empty: the installation has no demo. */
  demoGameKey: string;
  webhookAddresses: WebhookAddresses;
  /** Of players. */
  sessions: SessionReader;
  players: SessionIdleTimes & { hashKey: string };
  market: Market;
  traffic: TrafficReader;
  callsOfAccounts: ExpiringCache<AccountCalls>;
  callsOfGames: ExpiringCache<GameCalls>;
  words: MarketWords;
}
