/**
 * `KEY=igk_… npm run import -- FILE.jsonl`: creates the campaigns of a file, one JSON object a line, as `POST /campaigns/bulk` takes
 * them. Needs only a running service. Repeat an interrupted run to resume it: each request has an
 * Idempotency-Key derived from its lines, for 24 hours.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, rmSync, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { readLines } from "./lib/json-lines.mjs";
import { runMain, say } from "./lib/setup.mjs";

const USAGE = `Usage: KEY=igk_… npm run import -- FILE.jsonl [--activate] [--url http://127.0.0.1:8080/api]

One campaign a line, as POST /campaigns/bulk takes it: its fields, and creatives, geo_targets, blocklist and affinities. It
becomes a draft; with "activate": true in its line, or --activate, which wins over all lines, it is active at once.
Lines that are refused are named with their reason and written to FILE.jsonl.rejected: mend and import them there. An
advertiser has at most 5000 campaigns; a key may send 100 campaigns a request, and as many requests a minute as its limit says.
Leave FILE.jsonl and the options as they are, and repeat the command when it was interrupted: within 24 hours nothing is created
twice.`;
/** Campaigns that count as one request: a key with any limit can send them. */
const MAX_CAMPAIGNS = 100;
/** The body limit less the JSON around the campaigns and what --activate adds to them, in bytes. */
const MAX_BYTES = 256 * 1024 - 64 - MAX_CAMPAIGNS * ',"activate":true'.length;
const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
const MIN_SHOWN_PAUSE_MS = 1_000;
/** Waits no longer for a Retry-After, which may be wrong. */
const MAX_RETRY_AFTER_MS = 3_600_000;
const SOME_REFUSED = 1;
const INTERRUPTED = 130;

class UsageError extends Error {
  name = "UsageError";
}
/** Why an import cannot go on, as a sentence. */
class SetupError extends Error {
  name = "SetupError";
}

async function importCampaigns() {
  const options = readArguments();
  if (options === undefined) return;
  const total = statSync(options.file).size;
  const rejected = new RejectedLines(`${options.file}.rejected`);
  const progress = new Progress(total);
  process.once("SIGINT", () => {
    progress.end();
    say("Stopped: repeat the command to go on.");
    process.exit(INTERRUPTED);
  });
  for await (const batch of batches(options.file)) {
    await send(batch, options, rejected, progress);
    progress.show(batch.bytes);
  }
  await rejected.close();
  progress.show(total);
  progress.end();
  if (progress.drafts > 0) {
    say(`Drafts are not served: select them in the dashboard to activate them. Do not import them again.`);
  }
  if (progress.refused === 0) return;
  say(
    `Correct the refused lines in ${rejected.path}, or deposit where the balance is too low, and import that file.`,
  );
  process.exitCode = SOME_REFUSED;
}

function readArguments() {
  let parsed;
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        url: { type: "string" },
        activate: { type: "boolean", default: false },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(`${error.message}\n${USAGE}`);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return undefined;
  }
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new UsageError(`Name one file.\n${USAGE}`);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`There is no file ${file}: correct its name.`);
  if (!found.isFile()) throw new UsageError(`${file} is no file: name one.`);
  const key = process.env.KEY ?? "";
  if (key === "")
    throw new UsageError(`KEY is missing: set it to an API key with the scope advertiser.\n${USAGE}`);
  const url = values.url ?? `http://127.0.0.1:${process.env.PORT ?? 8080}${process.env.BASE_PATH ?? "/api"}`;
  if (!URL.canParse(url)) throw new UsageError(`--url is no address: ${url}\n${USAGE}`);
  return { file, key, url: url.replace(/\/$/, ""), activatesAll: values.activate };
}

/** The lines of each request, limited by number and size, with those that are no JSON objects among them. */
async function* batches(file) {
  let batch = { lines: [], size: 0, bytes: 0 };
  for await (const { number, text, bytes, start, end } of readLines(file, MAX_BYTES)) {
    const size = Buffer.byteLength(text ?? "") + 1;
    if (batch.lines.length === MAX_CAMPAIGNS || batch.size + size > MAX_BYTES) {
      yield batch;
      batch = { lines: [], size: 0, bytes: 0 };
    }
    batch.lines.push({ number, text, start, end, problem: problemOf(text) });
    batch.size += size;
    batch.bytes = bytes;
  }
  if (batch.lines.length > 0) yield batch;
}

function problemOf(text) {
  if (text === undefined) {
    return `the line has more than ${MAX_BYTES} bytes: create the campaign with less, and add the rest by single calls`;
  }
  try {
    const value = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return undefined;
  } catch {
    return "the line is not valid JSON: write one object";
  }
  return "the line is not a JSON object";
}

async function send({ lines }, options, rejected, progress) {
  const readable = lines.filter(({ problem }) => problem === undefined);
  if (readable.length > 0) {
    const texts = readable.map(({ text }) => text);
    const { results, isReplayed } = await post(texts, readable[0].number, options, progress);
    for (const [index, { status, error, campaign }] of results.entries()) {
      if (status === 201) progress.add(isReplayed, campaign);
      else readable[index].problem = error;
    }
  }
  const refused = lines.filter(({ problem }) => problem !== undefined);
  for (let from = 0, to = 0; from < refused.length; from = to) {
    const { problem, number } = refused[from];
    while (refused[to]?.problem === problem && refused[to].number - number === to - from) to += 1;
    progress.refuse(refused.slice(from, to), problem);
  }
  for (const line of refused) await rejected.add(line, options.file);
}

/** Of equal names in an object, the last one counts. */
function withActivation(text) {
  const isEmpty = /^\{\s*\}$/.test(text);
  return `${text.slice(0, -1)}${isEmpty ? "" : ","}"activate":true}`;
}

/** Repeats what may be repeated: nothing is created twice under one Idempotency-Key. */
async function post(texts, firstLine, { key, url, activatesAll }, progress) {
  const bodyOf = (campaigns) => `{"campaigns":[${campaigns.join(",")}]}`;
  const body = bodyOf(activatesAll ? texts.map(withActivation) : texts);
  // Of the lines as they are: the same lines are not created again with another option.
  const lines = createHash("sha256")
    .update(`${firstLine} ${bodyOf(texts)}`)
    .digest("hex");
  const idempotencyKey = `import ${lines}`;
  const headers = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    "Idempotency-Key": idempotencyKey,
  };
  for (let attempt = 1; ; ) {
    const { response, text, error } = await exchange(`${url}/campaigns/bulk`, {
      method: "POST",
      headers,
      body,
    });
    if (response?.ok) {
      return { ...JSON.parse(text), isReplayed: response.headers.has("idempotency-replayed") };
    }
    const status = response?.status ?? 0;
    const why = response
      ? detailIn(text)
      : `${url} cannot be reached (${error.cause?.message ?? error.message}): start the service, or set --url`;
    const retryAfterMs = retryAfterMsOf(response?.headers.get("retry-after"));
    // A limit says when it is over: waiting for it is no failed attempt.
    if (status !== 429 || retryAfterMs === undefined) attempt += 1;
    if (status === 409) {
      progress.end();
      const other = activatesAll
        ? "without --activate: activate the drafts in the dashboard"
        : "with --activate";
      throw new SetupError(`Stopped at line ${firstLine}: these lines were imported ${other}.`);
    }
    const isTransient = status === 0 || status === 429 || status >= 500;
    if (!isTransient || attempt > MAX_ATTEMPTS) {
      progress.end();
      throw new SetupError(`Stopped at line ${firstLine}: ${status === 0 ? "" : `${status}: `}${why}`);
    }
    const pauseMs = Math.max(retryAfterMs ?? 0, Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
    progress.wait(pauseMs, status === 429 ? "the rate limit" : why);
    await sleep(pauseMs);
  }
}

/** The answer, read to its end: the connection may break within it. */
async function exchange(url, request) {
  try {
    const response = await fetch(url, request);
    return { response, text: await response.text() };
  } catch (error) {
    return { error };
  }
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Seconds or a date, an hour at most; undefined: neither, or none ahead. */
function retryAfterMsOf(text) {
  const isDate = HTTP_DATE.test(text ?? "");
  const ms = isDate ? Date.parse(text) - Date.now() : /^\d+$/.test(text ?? "") ? Number(text) * 1_000 : 0;
  return ms > 0 ? Math.min(MAX_RETRY_AFTER_MS, ms) : undefined;
}

function detailIn(text) {
  try {
    return JSON.parse(text).detail ?? text;
  } catch {
    return text.slice(0, 200);
  }
}

/** The lines that were refused, as they were; the file is there only when there are some. */
class RejectedLines {
  #stream;

  constructor(path) {
    this.path = path;
    rmSync(path, { force: true });
  }

  async add({ text, start, end }, file) {
    this.#stream ??= createWriteStream(this.path);
    // A line that is too long for memory.
    if (text === undefined)
      await pipeline(createReadStream(file, { start, end: end - 1 }), this.#stream, { end: false });
    this.#stream.write(`${text ?? ""}\n`);
  }

  close() {
    return new Promise((resolve) => {
      if (this.#stream === undefined) resolve();
      else this.#stream.end(resolve);
    });
  }
}

/** On a terminal one line that is overwritten; elsewhere a line for each long pause, and the last one. */
class Progress {
  created = 0;
  /** By an earlier run, or an attempt whose answer was lost. */
  createdEarlier = 0;
  refused = 0;
  drafts = 0;
  #total;
  #startedMs = performance.now();
  #bytes = 0;

  constructor(total) {
    this.#total = total;
  }

  add(isReplayed, campaign) {
    this[isReplayed ? "createdEarlier" : "created"] += 1;
    if (!isReplayed && campaign.status === "draft") this.drafts += 1;
  }

  /** @param lines neighbours that are refused for the same reason */
  refuse(lines, reason) {
    this.refused += lines.length;
    this.#clear();
    const [first, last] = [lines[0].number, lines.at(-1).number];
    say(`${lines.length === 1 ? `Line ${first}` : `Lines ${first} to ${last}`}: ${reason}`);
  }

  show(bytes) {
    this.#bytes = bytes;
    this.#overwrite(this.#text());
  }

  wait(ms, reason) {
    if (ms < MIN_SHOWN_PAUSE_MS) return;
    const sentence = `waiting ${Math.ceil(ms / 1_000)} s: ${reason}`;
    if (process.stderr.isTTY) this.#overwrite(`${this.#text()}, ${sentence}`);
    else say(`${this.#text()}, ${sentence}`);
  }

  #overwrite(text) {
    if (!process.stderr.isTTY) return;
    this.#clear();
    process.stderr.write(text);
  }

  end() {
    this.#clear();
    say(this.#text());
  }

  #clear() {
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[2K");
  }

  #text() {
    const seconds = (performance.now() - this.#startedMs) / 1_000;
    const share = this.#total === 0 ? 100 : Math.floor((this.#bytes / this.#total) * 100);
    const earlier = this.createdEarlier === 0 ? "" : ` ${this.createdEarlier} created earlier,`;
    return `${this.created} created,${earlier} ${this.refused} refused, ${Math.round(this.created / seconds)} a second, ${share} % of the file, ${seconds.toFixed(1)} s`;
  }
}

await runMain(importCampaigns);
