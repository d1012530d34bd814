import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { describeFailure } from "./failure.ts";
import { post } from "./post.ts";

/** Self-signed for localhost, valid until 2120. */
const KEY = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXysRJUVgX/dT6/qN
0akibzCjFKUKGNYEAN9cdgZZea2hRANCAATxa8/MLC/SGCskMvJEBm8AqsvrXWa9
uKpY6FLKNucVRq/mbNkqt5zQ0zoGsTVuKKOktkSUq2B0ORujSZwNkFmE
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `
-----BEGIN CERTIFICATE-----
MIIBETCBuAIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcN
MjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2Fs
aG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPFrz8wsL9IYKyQy8kQGbwCq
y+tdZr24qljoUso25xVGr+Zs2Sq3nNDTOgaxNW4oo6S2RJSrYHQ5G6NJnA2QWYQw
CgYIKoZIzj0EAwIDSAAwRQIhAJmDDH80LhEgUo3MgWjvYRLybKpFZxgiMjd8wKL3
p0WxAiBMDQ+sRcj2kOHTU+YiOH1xdrC6Ru5UQNG0zmTPPOVVfg==
-----END CERTIFICATE-----
`;
const MAX_HEADER_BYTES = 16_384;

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

async function portOf(listening: Server): Promise<number> {
  server = listening.listen(0, "localhost");
  server.on("connection", (socket) => sockets.push(socket));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** The port of a server that answers everything with this text, or closes the connection without one. */
const portOfText = (text?: string) =>
  portOf(
    createServer((socket) => {
      socket
        .on("error", () => {})
        .once("data", () => (text === undefined ? socket.destroy() : socket.end(text)));
    }),
  );

const errorOf = async (url: string) => {
  const { status, error } = await post(url, "{}", {}, { addresses: "any", timeoutMs: 60_000 });
  expect(status).toBeNull();
  return error;
};

describe("a request without an answer", () => {
  it("says that the connection was refused", async () => {
    const port = await portOfText();
    await new Promise((resolve) => server?.close(resolve));
    expect(await errorOf(`http://localhost:${port}/`)).toBe("the host refused the connection");
  });

  it.each(["http", "https"])("says that the connection was closed (%s)", async (scheme) => {
    const port = await portOfText();
    const error = await errorOf(`${scheme}://localhost:${port}/`);
    expect(error).toBe("the connection was closed without an answer");
  });

  it("says that the certificate is self-signed", async () => {
    const port = await portOf(createTlsServer({ key: KEY, cert: CERTIFICATE }));
    expect(await errorOf(`https://localhost:${port}/`)).toBe("the certificate is self-signed");
  });

  it("says that the host has no TLS", async () => {
    const port = await portOfText("HTTP/1.1 400 Bad Request\r\n\r\n");
    expect(await errorOf(`https://localhost:${port}/`)).toMatch(/^the TLS connection failed \([A-Z_]+\)$/);
  });

  it.each([
    ["no HTTP", "hello\r\n\r\n", /^the answer is not valid HTTP \(HPE_[A-Z_]+\)$/],
    [
      "headers that are too large",
      `HTTP/1.1 200 OK\r\nX: ${"x".repeat(MAX_HEADER_BYTES)}\r\n\r\n`,
      /^the headers of the answer are too large$/,
    ],
  ])("says that the answer has %s", async (_what, text, expected) => {
    const port = await portOfText(text);
    expect(await errorOf(`http://localhost:${port}/`)).toMatch(expected);
  });
});

describe("describeFailure", () => {
  it.each([
    [{ code: "EAI_AGAIN", syscall: "getaddrinfo" }, "the host cannot be looked up (EAI_AGAIN)"],
    [{ code: "ECONNREFUSED", syscall: "queryA" }, "the host cannot be looked up (ECONNREFUSED)"],
    [{ code: "ENOTFOUND", syscall: "getaddrinfo" }, "the host was not found"],
    [{ code: "ETIMEDOUT", syscall: "connect" }, "the host did not accept the connection in time"],
    [{ code: "EHOSTUNREACH", syscall: "connect" }, "the host cannot be reached"],
    [{ code: "CERT_HAS_EXPIRED" }, "the certificate has expired"],
    [{ code: "ERR_TLS_CERT_ALTNAME_INVALID" }, "the certificate is for another host"],
    [
      { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" },
      "the certificate's issuer is not trusted, or an intermediate certificate is missing",
    ],
    [{ code: "CERT_REVOKED" }, "the certificate is not valid (CERT_REVOKED)"],
    [{ code: "EMFILE" }, "the request failed (EMFILE)"],
    [{}, "raw"],
  ])("puts %j into words", (fields, expected) => {
    expect(describeFailure(Object.assign(new Error("raw"), fields))).toBe(expected);
  });
});
