/**
 * Loaded into every service of a run by NODE_OPTIONS, so that the product needs no switch for its tests. It makes
 * - the clock of a service run ahead or behind by what the file FAULTS_CLOCKS/<instance> says (ms),
 * - the clock of Redis, as scripts read it, run ahead by what the key `faults:clock_us` says (FAULTS_REDIS_CLOCK=1),
 * - one safeguard of the product disappear (FAULTS_SABOTAGE names it, see safeguards.mjs),
 * - the monotonic clock of one match instance stand still while it is stopped, as that of a suspended machine may,
 * - a restore of the advertiser that the file FAULTS_CLOCKS/restore names wait until that file is gone, once it has read the
 *   rows; then it writes the file FAULTS_CLOCKS/restore.held (FAULTS_MODULES=1, as for safeguards in modules).
 */
import fs from "node:fs";
import { register, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { REDIS_CLOCK, RESTORE_GATE, replaceOnce, SAFEGUARDS } from "./safeguards.mjs";

const CLOCK_POLL_MS = 100;
const GATE_POLL_MS = 10;
/** Name of the instance in world.ts. */
const SUSPENDED_INSTANCE = "match-2";

const { FAULTS_CLOCKS, FAULTS_MODULES, FAULTS_REDIS_CLOCK, FAULTS_SABOTAGE, INSTANCE_NAME } = process.env;

function patchFiles() {
  const patches = FAULTS_SABOTAGE ? [...SAFEGUARDS[FAULTS_SABOTAGE].patches] : [];
  if (FAULTS_REDIS_CLOCK === "1") patches.push(REDIS_CLOCK);
  if (FAULTS_MODULES === "1" && INSTANCE_NAME.startsWith("management")) patches.push(RESTORE_GATE);
  const scripts = patches.filter(({ file }) => file.endsWith(".lua"));
  const modules = patches.filter(({ file }) => file.endsWith(".js"));
  const readFileSync = fs.readFileSync;
  fs.readFileSync = (path, ...rest) => {
    const content = readFileSync(path, ...rest);
    return scripts
      .filter(({ file }) => String(path).endsWith(file))
      .reduce((text, patch) => replaceOnce(text, patch), content);
  };
  syncBuiltinESMExports();
  if (modules.length > 0) register("./module-hook.mjs", import.meta.url, { data: modules });
}

function followClockFile(file) {
  const RealDate = Date;
  const realNow = Date.now.bind(Date);
  let offsetMs = 0;
  const look = () => {
    const before = offsetMs;
    try {
      offsetMs = Number(fs.readFileSync(file, "utf8"));
    } catch {
      offsetMs = 0;
    }
    if (offsetMs !== before) fs.writeFileSync(`${file}.seen`, String(Date.now() - realNow()));
  };
  look();
  setInterval(look, CLOCK_POLL_MS).unref();
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(realNow() + offsetMs);
      else super(...given);
    }
    static now() {
      return realNow() + offsetMs;
    }
  };
}

function readOrEmpty(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function holdRestores(file) {
  globalThis.faultsBeforeRestore = async (advertiserId) => {
    if (readOrEmpty(file) !== advertiserId) return;
    fs.writeFileSync(`${file}.held`, advertiserId);
    while (readOrEmpty(file) === advertiserId) await sleep(GATE_POLL_MS);
  };
}

// Not loaded into npm, the supervisor and the front.
if (INSTANCE_NAME !== undefined) {
  patchFiles();
  holdRestores(join(FAULTS_CLOCKS, "restore"));
  if (FAULTS_CLOCKS) followClockFile(join(FAULTS_CLOCKS, INSTANCE_NAME));
  if (INSTANCE_NAME === SUSPENDED_INSTANCE)
    await import("../../../packages/testing/runner/standing-clock.mjs");
}
