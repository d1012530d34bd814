import { expect } from "@jest/globals";
import type { APIRequestContext, Page } from "playwright-core";

/** Calls the API with the session of `page.request`, or of a browser without a page. */
export function apiOf(session: APIRequestContext, origin: string) {
  return async <Answer = { id: string }>(path: string, data: object): Promise<Answer> => {
    const response = await session.post(`${origin}/api${path}`, { data, headers: { origin } });
    expect({ path, isGood: response.ok() }).toEqual({ path, isGood: true });
    return (await response.json()) as Answer;
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
