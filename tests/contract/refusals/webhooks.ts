import { newId } from "@diegetic/contracts";
import { type Provocation, type ProvocationsOfOperations, sent } from "./provocation.ts";
import { changeStoredSeeds, operationNamed, webhookBody } from "./world.fixture.ts";

/** A key of the owner's account that has another scope than the events of the webhook need. */
const byLesserKey: Provocation = async (world, operation) => {
  const body = { label: "lesser", scopes: ["developer"] };
  const lesser = await world.call(operationNamed("createApiKey"), { body }).expect(201);
  return world.call(operation, {
    by: { ...world.owner, key: lesser.body.key },
    body: operation.operationId === "createWebhook" ? webhookBody : {},
  });
};

/** What the first answer showed cannot be derived again: the stored seed is another one. */
const afterAnotherSecret: Provocation = async (world, operation) => {
  const by = await world.account();
  const { body } = await world.call(operationNamed("createWebhook"), { by, body: webhookBody }).expect(201);
  const call = {
    by,
    named: { webhook_id: body.id as string },
    body: operation.operationId === "createWebhook" ? webhookBody : {},
    headers: { "Idempotency-Key": newId("acct") },
  };
  await world.call(operation, call).expect(operation.success[0]?.status ?? 0);
  await changeStoredSeeds(world, by.accountId);
  return world.call(operation, call);
};

const notHttps = (more: object) => sent({ ...more, url: "http://studio.example/events" });
const privateAddress = (more: object) => sent({ ...more, url: "https://10.0.0.7/events" });

export const webhookRefusals: ProvocationsOfOperations = {
  createWebhook: {
    "400 missing_field": sent({ events: webhookBody.events }),
    "400 malformed_field": sent({ ...webhookBody, balance_low_cents: "50" }),
    "403 lacking_scope": byLesserKey,
    "422 not_allowed": sent({ ...webhookBody, hold_expiry_percent: 0 }),
    "422 not_https": notHttps(webhookBody),
    "422 private_address": privateAddress(webhookBody),
    "422 too_many": async (world, operation) => {
      const by = await world.account();
      for (let count = 0; count < 10; count++) {
        await world.call(operation, { by, body: webhookBody }).expect(201);
      }
      return world.call(operation, { by, body: webhookBody });
    },
    "409 not_shown_again": afterAnotherSecret,
  },
  updateWebhook: {
    "400 malformed_field": sent({ balance_low_cents: "50" }),
    "403 lacking_scope": byLesserKey,
    "422 not_allowed": sent({ hold_expiry_percent: 0 }),
    "422 not_https": notHttps({}),
    "422 private_address": privateAddress({}),
    "422 response_only": sent({ id: "whk_other" }),
  },
  deleteWebhook: { "403 lacking_scope": byLesserKey },
  testWebhook: { "403 lacking_scope": byLesserKey },
  listWebhookDeliveries: { "403 lacking_scope": byLesserKey },
  redeliverWebhookDelivery: {
    "403 lacking_scope": byLesserKey,
    "409 inactive": async (world, operation) => {
      const by = await world.account();
      const { body } = await world
        .call(operationNamed("createWebhook"), { by, body: webhookBody })
        .expect(201);
      const named = { webhook_id: body.id as string };
      const delivery = await world.call(operationNamed("testWebhook"), { by, named }).expect(200);
      const { id, event } = delivery.body;
      await world.api.database.webhookEvent.update({
        where: { id: event.id },
        data: { type: "balance.low" },
      });
      const inactive = { is_active: false };
      await world.call(operationNamed("updateWebhook"), { by, named, body: inactive }).expect(200);
      return world.call(operation, { by, named: { delivery_id: id } });
    },
  },
  rotateWebhookSecret: {
    "400 malformed_field": sent({ overlap_seconds: "day" }),
    "403 lacking_scope": byLesserKey,
    "422 not_allowed": sent({ overlap_seconds: -1 }),
    "409 not_shown_again": afterAnotherSecret,
  },
};
