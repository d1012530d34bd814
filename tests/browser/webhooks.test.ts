import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook } from "@diegetic/client";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type Dashboard,
  expectAccessibleInPassing,
  expectSoon,
  type ObservedPage,
  startDashboard,
} from "./browser.fixture.ts";

const PASSWORD = "a calm evening by the fire";

describe("the webhooks of an account", () => {
  let dashboard: Dashboard;
  let view: ObservedPage;
  let server: Server;
  let url: string;
  const received: { signature: string; body: string }[] = [];

  beforeAll(async () => {
    server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
    server.on("request", async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      received.push({ signature: String(request.headers["diegetic-signature"]), body });
      response.end("heard");
    });
    dashboard = await startDashboard({ WEBHOOK_ADDRESSES: "any" });
    view = await dashboard.newPage();
    const { page } = view;
    await page.goto(`${dashboard.origin}/sign-up`);
    await page.getByLabel("Your name").fill("Ada Hearth");
    await page.getByLabel("E-mail").fill("ada@hearthwell.example");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });
  afterAll(async () => {
    await dashboard?.stop();
    server?.close();
  });

  it("are created, tried, delivered again, rotated and deleted", async () => {
    const { page, problems } = view;
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByText("Nobody listens at the door yet.").waitFor();
    await expectAccessibleInPassing(page);
    await page.getByRole("button", { name: "Create webhook" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill(url);
    await dialog.getByRole("checkbox", { name: "Balance low" }).click();
    await dialog.getByLabel("Balance below (optional)").fill("25.00");
    await expectAccessibleInPassing(page);
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    const shown = dialog.getByLabel("secret", { exact: true });
    const secret = (await shown.textContent()) ?? "";
    expect(secret).toMatch(/^whsec_/);
    await dialog.getByRole("button", { name: "I have stored it" }).click();

    await page.getByRole("link", { name: url }).click();
    await page.getByRole("button", { name: "Send test event" }).click();
    await page.getByRole("row", { name: /webhook\.test.*Delivered/ }).waitFor();
    await page.getByRole("button", { name: "Send again: webhook.test" }).click();
    await eventually(() => received.length === 2);
    const events = await Promise.all(received.map((request) => verifyWebhook({ ...request, secret })));
    expect(events[0]?.type).toBe("webhook.test");
    expect(events[1]).toEqual(events[0]);
    await page.getByText(/2 attempts: answered 200/).waitFor();
    await expectAccessibleInPassing(page);

    await page.getByRole("main").getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("button", { name: `Edit ${url}` }).click();
    await dialog.getByRole("switch", { name: "Active" }).click();
    await expectAccessibleInPassing(page);
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.method() === "PATCH"),
      dialog.getByRole("button", { name: "Save changes" }).click(),
    ]);
    expect(request.postDataJSON()).toEqual({ is_active: false });
    await page.getByRole("row", { name: /Inactive/ }).waitFor();
    await page.getByRole("button", { name: `Rotate secret of ${url}` }).click();
    await dialog.getByRole("button", { name: "Rotate secret" }).click();
    await shown.waitFor();
    expect(await shown.textContent()).not.toBe(secret);
    await page.goBack();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();

    await page.getByRole("button", { name: `Delete ${url}` }).click();
    await dialog.getByRole("button", { name: "Delete webhook" }).waitFor();
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Delete ${url}` }).click();
    await dialog.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("Nobody listens at the door yet.").waitFor();
    expect(problems).toEqual([]);
  });

  it("ignore an invalid threshold whose event is no longer chosen", async () => {
    const { page, problems } = view;
    const dialog = page.getByRole("dialog");
    const low = dialog.getByRole("checkbox", { name: "Balance low" });
    const threshold = dialog.getByLabel("Balance below (optional)");
    const unseen = dialog.getByRole("checkbox", { name: "Many unseen matches" });
    const percent = dialog.getByLabel("Unseen matches, percent (optional)");
    await page.getByRole("button", { name: "Create webhook" }).first().click();
    await dialog.getByLabel("Address").fill(url);
    await dialog.getByRole("checkbox", { name: "Earnings complete" }).click();
    await low.click();
    await threshold.fill("0");
    await unseen.click();
    await percent.fill("0");
    await low.click();
    await unseen.click();
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    await dialog.getByLabel("secret", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "I have stored it" }).click();

    await page.getByRole("button", { name: `Edit ${url}` }).click();
    await low.click();
    await threshold.fill("0");
    await low.click();
    await low.click();
    await expectSoon(() => threshold.inputValue(), "100.00");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("row", { name: /Balance low/ }).waitFor();
    expect(problems).toEqual([]);
  });
});
