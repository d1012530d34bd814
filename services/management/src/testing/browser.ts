import type { RequestListener } from "node:http";
import { newId } from "@diegetic/contracts";
import { documented } from "@diegetic/testing/documented";
import request, { type Test } from "supertest";
import { BASE, type Harness } from "./harness.ts";

/** A browser with the dashboard open: keeps its cookie, and sends the origin with every change. */
export interface Browser {
  /** Value of the header `Cookie`; empty: none. */
  cookie: string;
  email: string;
  password: string;
  get(path: string): Test;
  post(path: string, body?: unknown): Test;
  put(path: string, body: unknown): Test;
  patch(path: string, body: unknown): Test;
  delete(path: string): Test;
}

export interface Person {
  name?: string;
  email?: string;
  password?: string;
}

type Method = "get" | "post" | "put" | "patch" | "delete";

/** A browser without a cookie. @param ip client address, for rate limits */
export function openBrowser(app: RequestListener, person: Person = {}): Browser {
  const browser = (method: Method, path: string, body?: unknown): Test => {
    const test = documented(request(app)[method](BASE + path)).set("Sec-Fetch-Site", "same-origin");
    if (opened.cookie !== "") test.set("Cookie", opened.cookie);
    test.expect((response) => {
      const [setCookie] = (response.headers["set-cookie"] as unknown as string[] | undefined) ?? [];
      if (setCookie === undefined) return;
      opened.cookie = /Max-Age=0\b/i.test(setCookie) ? "" : (setCookie.split(";", 1)[0] ?? "");
    });
    return body === undefined ? test : test.send(body as object);
  };
  const opened: Browser = {
    cookie: "",
    email: person.email ?? `${newId("usr")}@example.com`,
    password: person.password ?? `password of ${newId("usr")}`,
    get: (path) => browser("get", path),
    post: (path, body) => browser("post", path, body),
    put: (path, body) => browser("put", path, body),
    patch: (path, body) => browser("patch", path, body),
    delete: (path) => browser("delete", path),
  };
  return opened;
}

/** A browser whose user has just signed up. */
export async function signedUp(
  harness: Pick<Harness, "management">,
  person: Person = {},
  fields: object = {},
): Promise<Browser> {
  const browser = openBrowser(harness.management.app, person);
  const { email, password } = browser;
  await browser.post("/auth/sign-up", { name: person.name ?? "Ada", email, password, ...fields }).expect(201);
  return browser;
}
