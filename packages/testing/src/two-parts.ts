import { request } from "node:http";

export interface TwoParts {
  /** Resolves when the server has read the headers. */
  headersRead: Promise<void>;
  sendBody(): void;
  /** Status of the answer. Rejects when there is none. */
  status: Promise<number>;
}

/** Sends a request whose body follows only after the server has read the headers. */
export function sendInTwoParts(
  { url, method, key }: { url: string; method: string; key: string },
  body: object,
): TwoParts {
  const text = JSON.stringify(body);
  const sent = request(url, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
      Expect: "100-continue",
    },
  });
  const failed = new Promise<never>((_resolve, reject) => sent.once("error", reject));
  const orFailed = <T>(event: Promise<T>): Promise<T> => {
    const either = Promise.race([event, failed]);
    // The caller may await only the other promise.
    either.catch(() => undefined);
    return either;
  };
  const headersRead = new Promise<void>((resolve) => sent.once("continue", resolve));
  const status = new Promise<number>((resolve) => {
    sent.once("response", (response) => {
      response.on("error", () => undefined);
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  sent.flushHeaders();
  return {
    headersRead: orFailed(headersRead),
    status: orFailed(status),
    sendBody: () => sent.end(text),
  };
}
