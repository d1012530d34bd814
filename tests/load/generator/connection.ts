import { connect, type Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
/** As Express and Fastify write it. */
const CONTENT_LENGTHS = ["\r\nContent-Length: ", "\r\ncontent-length: "].map((name) => Buffer.from(name));
const NO_CONTENT = 204;
const READ_BUFFER_BYTES = 64 * 1024;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Receives the status and body of an answer; the body is only valid during the call. */
export type OnAnswer = (status: number, body: Buffer) => void;

/**
 * One HTTP/1.1 keep-alive connection with at most one request in flight. Implements only as much HTTP as the measured
 * servers need, because its processor time is missing for Redis on the same core: answers have a Content-Length, or no
 * body.
 */
export class Connection {
  readonly #socket: Socket;
  #onAnswer: OnAnswer | undefined;
  /** The start of an incomplete answer. */
  #rest: Buffer | undefined;

  private constructor(port: number, onError: (error: Error) => void) {
    const onread = {
      buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
      callback: (bytes: number, chunk: Uint8Array) => {
        this.#read(Buffer.from(chunk.buffer, chunk.byteOffset, bytes));
        return true;
      },
    };
    this.#socket = connect({ host: "127.0.0.1", port, noDelay: true, onread });
    this.#socket.on("error", onError);
    this.#socket.on("close", () => {
      if (this.#onAnswer !== undefined) onError(new Error("a connection was closed under way"));
    });
  }

  static async open(port: number, onError: (error: Error) => void): Promise<Connection> {
    const connection = new Connection(port, onError);
    await new Promise<void>((resolve) => connection.#socket.once("connect", resolve));
    return connection;
  }

  send(request: Buffer, onAnswer: OnAnswer): void {
    this.#onAnswer = onAnswer;
    this.#socket.write(request);
  }

  close(): void {
    this.#onAnswer = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    const headEnd = bytes.indexOf(HEAD_END);
    const status = digits(bytes, 9);
    const bodyAt = headEnd + HEAD_END.length;
    const length = headEnd < 0 ? 0 : bodyLength(bytes.subarray(0, headEnd), status);
    if (headEnd < 0 || bytes.length < bodyAt + length) {
      if (bytes.length > MAX_ANSWER_BYTES) throw new Error("an answer is too large");
      this.#rest = Buffer.from(bytes);
      return;
    }
    this.#rest = undefined;
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(status, bytes.subarray(bodyAt, bodyAt + length));
  }
}

function bodyLength(head: Buffer, status: number): number {
  for (const name of CONTENT_LENGTHS) {
    const at = head.indexOf(name);
    if (at >= 0) return digits(head, at + name.length);
  }
  if (status === NO_CONTENT) return 0;
  throw new Error(`an answer says no length: ${head.toString("latin1")}`);
}

/** The number at this index. */
function digits(bytes: Buffer, start: number): number {
  let number = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return number;
}
