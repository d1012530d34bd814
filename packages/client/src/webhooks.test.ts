import { createHmac } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { verifyWebhook, WebhookSignatureError } from "./webhooks.ts";

const SECRET = "whsec_1";
const body = JSON.stringify({ id: "evt_1", type: "webhook.test", data: { text: "Grüße" } });
const nowMs = () => 1_800_000_000_000;
const TIME = 1_800_000_000;

function signed(text = body, secret = SECRET, time: number | string = TIME): string {
  return `v1=${createHmac("sha256", secret).update(`${time}.${text}`).digest("hex")}`;
}

describe("a request to a webhook", () => {
  it.each([
    ["as text", body],
    ["as bytes", new TextEncoder().encode(body)],
    ["as a buffer", new TextEncoder().encode(body).buffer],
  ])("is its event, %s", async (_how, sent) => {
    const event = await verifyWebhook({
      body: sent,
      signature: `t=${TIME},${signed()}`,
      secret: SECRET,
      nowMs,
    });
    expect(event).toEqual(JSON.parse(body));
  });

  it("is refused with a sentence about the mistake when a parser has read it", async () => {
    const signature = `t=${TIME},${signed()}`;
    const verifying = verifyWebhook({ body: JSON.parse(body), signature, secret: SECRET, nowMs });
    await expect(verifying).rejects.toThrow("body must be the text or bytes as received");
  });

  it("is accepted while the secret is replaced", async () => {
    const signature = `t=${TIME},${signed(body, "whsec_2")},${signed()}`;
    for (const secret of [SECRET, "whsec_2"]) await verifyWebhook({ body, signature, secret, nowMs });
  });

  it.each([
    ["another body", `t=${TIME},${signed("{}")}`],
    ["another secret", `t=${TIME},${signed(body, "whsec_2")}`],
    ["another time", `t=${TIME - 1},${signed()}`],
    ["a time long ago", `t=${TIME - 301},${signed(body, SECRET, TIME - 301)}`],
    ["a time far ahead", `t=${TIME + 301},${signed(body, SECRET, TIME + 301)}`],
    ["no time", signed()],
    ["no number as time", `t=soon,${signed(body, SECRET, "soon")}`],
    ["no signature", `t=${TIME}`],
    ["a short signature", `t=${TIME},${signed().slice(0, -1)}`],
    ["no header", undefined],
  ])("is refused with %s", async (_what, signature) => {
    const verifying = verifyWebhook({ body, signature, secret: SECRET, nowMs });
    await expect(verifying).rejects.toThrow(WebhookSignatureError);
  });
});
