import { randomUUID } from "node:crypto";
import { repeatedly, retryAfterMs } from "@diegetic/testing/documented";
import type { APIRequestContext, Page } from "playwright-core";

/**
 * Prepares a test by a change with the session of `page.request`, or of a browser without a page. Repeats a 503 under one
 * Idempotency-Key, as `setUp` of @diegetic/testing/api does.
 */
export function apiOf(session: APIRequestContext, origin: string) {
  return async <Answer = { id: string }>(path: string, data?: object, method = "POST"): Promise<Answer> => {
    const headers = { origin, "Idempotency-Key": randomUUID() };
    const response = await repeatedly(
      () => session.fetch(`${origin}/api${path}`, { method, headers, ...(data && { data }) }),
      (answer) => retryAfterMs(answer.status(), answer.headers()["retry-after"]),
    );
    const text = await response.text();
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  };
}

/** Of everyone in these tests. */
export const PASSWORD = "a calm evening by the fire";

/** Signs up a new account in this session, and registers it as an advertiser. */
export async function registerAdvertiser(session: APIRequestContext, origin: string, name: string) {
  const post = apiOf(session, origin);
  const email = `${name.toLowerCase().replace(" ", "@")}.example`;
  await post("/auth/sign-up", { name, email, password: PASSWORD });
  await post("/register", { company_name: name, contact_email: email });
  return post;
}

/** The body of the PATCH that a button sends. */
export async function sentBy(page: Page, button: string): Promise<unknown> {
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByRole("button", { name: button, exact: true }).click();
  return (await sent).postDataJSON();
}
