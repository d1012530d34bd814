import { type LookupAddress, lookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { isPrivateHost, isPublicAddress, type WebhookAddresses } from "@diegetic/service-kit";
import { describeFailure } from "./failure.ts";

export interface PostOptions {
  addresses: WebhookAddresses;
  /** Time limit from the look-up of the name to the end of the answer. */
  timeoutMs: number;
  /** For public addresses. Default: those of the system. */
  nameServers?: readonly string[];
}

/** What came of a request. `status` null: there was no answer, `error` says why. */
export interface PostResult {
  status: number | null;
  error: string | null;
  /** The beginning of the answer. */
  response: string | null;
}

const MAX_READ_BYTES = 4_096;
const MAX_KEPT_CHARACTERS = 200;
const MAX_HEADER_BYTES = 16_384;
/** Of one try at one name server. */
const NAME_TIMEOUT_MS = 2_000;
const NAME_TRIES = 2;
const REFUSED = "the host has a private address";

/**
 * Sends one POST. Never follows redirects, and connects only to the addresses that it has checked: a name that resolves
 * differently later does not help. Never rejects.
 */
export async function post(
  target: string,
  body: string,
  headers: Record<string, string>,
  { addresses, timeoutMs, nameServers }: PostOptions,
): Promise<PostResult> {
  const url = new URL(target);
  if (addresses === "public") {
    if (url.protocol !== "https:") return unanswered("the address is not https");
    // Addresses are not looked up, and no name server has to know localhost.
    if (isPrivateHost(url)) return unanswered(REFUSED);
  }
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const request = send(url, {
      method: "POST",
      headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) },
      agent: false,
      lookup: addresses === "any" ? lookup : publicLookup(signal, nameServers),
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    });
    let status: number | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    // An answer counts from its status on, however its body ends.
    const end = (error: string) => {
      request.destroy();
      if (status === undefined) resolve(unanswered(error));
      else resolve({ status, error: null, response: beginningOf(Buffer.concat(chunks)) });
    };
    request.on("response", (answer) => {
      status = answer.statusCode ?? 0;
      const answered = () => end("");
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= MAX_READ_BYTES) answered();
      });
      answer.on("end", answered).on("error", answered).on("close", answered);
    });
    request.on("error", (error) => end(describe(error, timeoutMs)));
    request.on("close", () => end("the connection was closed without an answer"));
    request.end(body);
  });
}

function unanswered(error: string): PostResult {
  return { status: null, error: error.slice(0, MAX_KEPT_CHARACTERS), response: null };
}

function describe(error: Error, timeoutMs: number): string {
  if (error.name === "AbortError" || error.name === "TimeoutError") return `no answer within ${timeoutMs} ms`;
  return printable(describeFailure(error));
}

/** The text without what Postgres or a terminal would not take. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, " ");
}

function beginningOf(bytes: Buffer): string {
  return Array.from(printable(bytes.toString("utf8")))
    .slice(0, MAX_KEPT_CHARACTERS)
    .join("");
}

/**
 * Refuses a name with any private address. Its result is what the socket connects to. Asks name servers alone: unlike
 * `lookup`, that holds none of the process' threads.
 */
function publicLookup(signal: AbortSignal, nameServers: readonly string[] | undefined): LookupFunction {
  return (name, options, callback) => {
    findAddresses(name, signal, nameServers).then(
      (found) => {
        const [first] = found;
        if (first === undefined || found.some(({ address }) => !isPublicAddress(address))) {
          callback(new Error(REFUSED), []);
        } else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

/** The addresses of both families, at least one; rejects when there is none. */
async function findAddresses(
  name: string,
  signal: AbortSignal,
  nameServers: readonly string[] | undefined,
): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: NAME_TIMEOUT_MS, tries: NAME_TRIES });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel);
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [
      ...addressesOf(ipv4).map((address) => ({ address, family: 4 })),
      ...addressesOf(ipv6).map((address) => ({ address, family: 6 })),
    ];
    if (found.length === 0 && ipv4.status === "rejected") throw ipv4.reason;
    return found;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function addressesOf(result: PromiseSettledResult<string[]>): string[] {
  return result.status === "fulfilled" ? result.value : [];
}
