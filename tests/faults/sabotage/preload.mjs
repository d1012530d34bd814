/**
 * Loaded into every service of a run by NODE_OPTIONS, so that the product needs no switch for its tests. It makes
 * - the clock of a service run ahead or behind by what the file FAULTS_CLOCKS/<instance> says (ms),
 * - the clock of Redis, as scripts read it, run ahead by what the key `faults:clock_us` says (FAULTS_REDIS_CLOCK=1),
 * - one safeguard of the product disappear (FAULTS_SABOTAGE names it, see safeguards.mjs).
 */
import fs from "node:fs";
import { register, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { REDIS_CLOCK, replaceOnce, SAFEGUARDS } from "./safeguards.mjs";

const CLOCK_POLL_MS = 100;

const { FAULTS_CLOCKS, FAULTS_REDIS_CLOCK, FAULTS_SABOTAGE, INSTANCE_NAME } = process.env;

function patchFiles() {
  const patches = FAULTS_SABOTAGE ? [...SAFEGUARDS[FAULTS_SABOTAGE].patches] : [];
  if (FAULTS_REDIS_CLOCK === "1") patches.push(REDIS_CLOCK);
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

// npm, the supervisor and the front have no part in it.
if (INSTANCE_NAME !== undefined) {
  patchFiles();
  if (FAULTS_CLOCKS) followClockFile(join(FAULTS_CLOCKS, INSTANCE_NAME));
}
