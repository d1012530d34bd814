import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

const HEADER_BYTES = 12;
const TYPE_A = 1;
const RESPONSE = 0x8180;
/** Response codes of RFC 1035. */
const CODES = { found: 0, failure: 2, unknown: 3 };

/** A DNS server that gives every name the same answer. */
export class NameServer {
  readonly address: string;
  /** Null: the server is silent. */
  readonly addresses: string[] | null;
  queries = 0;
  readonly #socket: Socket;

  readonly #code: number;

  private constructor(socket: Socket, addresses: string[] | null, code: number) {
    this.#code = code;
    this.#socket = socket;
    this.address = `127.0.0.1:${socket.address().port}`;
    this.addresses = addresses;
  }

  static async open(addresses: string[] | null, outcome: keyof typeof CODES = "found"): Promise<NameServer> {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    const server = new NameServer(socket, addresses, CODES[outcome]);
    socket.on("message", (query, { port, address }) => {
      server.queries += 1;
      if (server.addresses !== null)
        socket.send(answerTo(query, server.addresses, server.#code), port, address);
    });
    return server;
  }

  close(): void {
    this.#socket.close();
  }
}

function answerTo(query: Buffer, addresses: string[], code: number): Buffer {
  const nameEnd = query.indexOf(0, HEADER_BYTES) + 1;
  const question = query.subarray(HEADER_BYTES, nameEnd + 4);
  const records = query.readUInt16BE(nameEnd) === TYPE_A ? addresses.map(recordOf) : [];
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(RESPONSE | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

/** The question's name, type A, class IN, 60 s, four bytes. */
function recordOf(address: string): Buffer {
  return Buffer.from([
    0xc0,
    HEADER_BYTES,
    0,
    TYPE_A,
    0,
    1,
    0,
    0,
    0,
    60,
    0,
    4,
    ...address.split(".").map(Number),
  ]);
}
