import { type Erased, erasePlayer, OtherPlayerHashKey, UnknownAccount } from "@diegetic/billing";
import { SetupError } from "@diegetic/local-stores";
import {
  integerSetting,
  playerHashKeySetting,
  readOptions,
  readSettings,
  textSetting,
} from "@diegetic/service-kit";
import { readOrCreateSecrets } from "./data-directory/secrets.ts";
import { readDataDir } from "./settings.ts";
import { findStores, throwUnavailable } from "./stores.ts";

const USAGE = "Usage: npm run --silent erase -- --player ID --account ID [--wait SECONDS]";
const MAX_ID_CHARACTERS = 200;
const OPTIONS = {
  playerId: textSetting("--player", { maxLength: MAX_ID_CHARACTERS }),
  accountId: textSetting("--account", { maxLength: MAX_ID_CHARACTERS }),
  waitSeconds: integerSetting("--wait", { min: 0, max: 3_600, fallback: 30 }),
};

/**
 * `npm run erase`: removes the traces of a player of a developer's account from both stores of the environment, or of the
 * running stack of DATA_DIR. Returns the exit code: 0 erased, 1 billing has not written everything yet.
 */
export async function runEraseCommand(args: string[]): Promise<number> {
  const options = readOptions(args, OPTIONS, USAGE);
  if (options === "help") {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const { playerId, accountId, waitSeconds } = options;
  const stores = await findStores(process.env);
  const erased = await erasePlayer({
    nowMs: Date.now(),
    ...stores,
    playerHashKey: hashKeyOf(process.env),
    playerId,
    accountId,
    waitMs: waitSeconds * 1_000,
  }).catch((error: unknown) => {
    if (error instanceof UnknownAccount) {
      throw new SetupError(
        `--account is "${accountId}": there is no such account. /system on the dashboard lists them.`,
      );
    }
    if (error instanceof OtherPlayerHashKey) {
      throw new SetupError(
        "PLAYER_HASH_KEY is not the key that the database at DATABASE_URL has recorded: give the recorded one (npm start has it " +
          "in secrets.json in DATA_DIR), or see PLAYER_HASH_KEY in docs/operating.md. Nothing was erased.",
      );
    }
    return throwUnavailable(error);
  });
  process.stdout.write(erasedText(erased));
  return erased.waiting === 0 ? 0 : 1;
}

/** The key belongs to the stores. */
function hashKeyOf(environment: NodeJS.ProcessEnv): string {
  if (!environment.DATABASE_URL) return readOrCreateSecrets(readDataDir(environment)).playerHashKey;
  return readSettings(environment, { settings: {}, secrets: { playerHashKey: playerHashKeySetting } }).secrets
    .playerHashKey;
}

function erasedText(erased: Erased): string {
  const lines = [
    `Impressions ${erased.impressions}, rows of unique players ${erased.reachedUsers}, quarantined records ${erased.quarantined}.`,
    `Unbilled matches ${erased.matches}, player sessions ${erased.sessions}, frequency caps ${erased.caps}.`,
  ];
  if (erased.waiting > 0) {
    lines.push(
      `${erased.waiting} impressions still wait for billing: repeat the command once it has written them.`,
    );
  }
  lines.push(
    "Match ids that games hold still name the player while they can be billed (LATE_IMPRESSION_SECONDS, a day by default): repeat the command after that.",
  );
  return `${lines.join("\n")}\n`;
}
