import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { type ScriptedAnswer, scenarioFile } from "./scenarios.ts";

export interface RecordedCall {
  method: string;
  path: string;
  authorization: string | undefined;
  contentType: string | undefined;
  body: unknown;
  atMs: number;
}

/** Ends an `endless` answer, so that a client without a limit fails its scenario and takes no machine down. */
const MAX_ENDLESS_BYTES = 128 * 1_024 * 1_024;

/** Answers the scenarios' requests as scripted; the scenario's index is the first part of the path. */
export class ScriptedServer {
  readonly #server: Server;
  readonly #calls = new Map<number, RecordedCall[]>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    await new Promise<void>((resolve) => scripted.#server.listen(0, "127.0.0.1", resolve));
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  callsOf(index: number): RecordedCall[] {
    return this.#calls.get(index) ?? [];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = performance.now();
    const [, index, , name] = (request.url ?? "").split("/");
    const path = `/${name}`;
    const calls = this.#calls.get(Number(index)) ?? [];
    this.#calls.set(Number(index), calls);
    const earlier = calls.filter((call) => call.path === path).length;
    const { authorization, "content-type": contentType } = request.headers;
    const call = { method: request.method ?? "", path, authorization, contentType, body: undefined, atMs };
    calls.push(call);
    const text = await readAll(request);
    Object.assign(call, { body: text === "" ? null : JSON.parse(text) });
    const scripted = scenarioFile.scenarios[Number(index)]?.answers[path]?.[earlier];
    send(response, scripted ?? { status: 400, body: { detail: `no answer is scripted for ${path}` } });
  }
}

function send(response: ServerResponse, answer: ScriptedAnswer): void {
  if (answer.disconnect) {
    response.destroy();
    return;
  }
  if (answer.status !== undefined) {
    response.writeHead(answer.status, { "Content-Type": "application/json", ...answer.headers });
    response.flushHeaders();
  }
  if (answer.hang) return;
  if (answer.endless) {
    // Rejects when the client closes the connection.
    pipeline(spaces, response).catch(() => undefined);
    return;
  }
  const body = typeof answer.body === "string" ? scenarioFile[answer.body] : answer.body;
  response.end(answer.text ?? (body === undefined ? "" : JSON.stringify(body)));
}

/** JSON may begin with any number of them. */
function* spaces(): Generator<Buffer> {
  const chunk = Buffer.alloc(65_536, " ");
  for (let bytes = 0; bytes < MAX_ENDLESS_BYTES; bytes += chunk.length) yield chunk;
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
