import { type History, noteOddity, type Span } from "../history.ts";

const CLIENT_TIMEOUT_MS = 5_000;

export interface Answer extends Span {
  /** Null: no answer. */
  status: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the workload examines
  body: any;
  /** The key that it was sent with. */
  keyId: string;
}

export interface ClientKey {
  id: string;
  text: string;
}

export interface Client {
  /** The key of all further requests, also of copies made by `at`. */
  key: ClientKey;
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  /** The same client at another address, for example of one instance. */
  at(baseUrl: string): Client;
  /** A client that keeps this key, whatever this client does later. */
  keepingTo(key: ClientKey): Client;
}

/** Calls the API like a client with a time-out, counts answers, and records answers that are never allowed. */
export function createClient(baseUrl: () => string, key: ClientKey, history: History): Client {
  return clientOf(baseUrl, { key }, history);
}

function clientOf(baseUrl: () => string, holder: { key: ClientKey }, history: History): Client {
  return {
    get key() {
      return holder.key;
    },
    set key(key) {
      holder.key = key;
    },
    at: (otherUrl) => clientOf(() => otherUrl, holder, history),
    keepingTo: (key) => clientOf(baseUrl, { key }, history),
    async call(method, path, body, headers = {}) {
      const startedMs = Date.now();
      const { id: keyId, text: keySecret } = holder.key;
      const endpoint = `${method} ${path.replace(/(camp|crt|key)_\w+|game-\d+/, "…")}`;
      const count = (status: string) =>
        history.answers.set(`${endpoint} ${status}`, (history.answers.get(`${endpoint} ${status}`) ?? 0) + 1);
      try {
        const response = await fetch(`${baseUrl()}${path}`, {
          method,
          headers: { Authorization: `Bearer ${keySecret}`, "Content-Type": "application/json", ...headers },
          signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
          ...(body && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        const { status } = response;
        count(String(status));
        if (status >= 500 && status !== 503)
          noteOddity(history, `${endpoint} was answered ${status}: ${text}`);
        if (status === 503 && response.headers.get("Retry-After") === null) {
          noteOddity(history, `${endpoint} was answered 503 without Retry-After: ${text}`);
        }
        return { startedMs, endedMs: Date.now(), status, body: text === "" ? null : JSON.parse(text), keyId };
      } catch {
        count("no answer");
        return { startedMs, endedMs: Date.now(), status: null, body: null, keyId };
      }
    },
  };
}
