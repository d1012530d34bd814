/** A billing process that a test kills: its settings are environment variables, its pace the argument as JSON. */
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createBillingService } from "../service.ts";
import { readBillingSettings } from "../settings.ts";

createBillingService({
  ...readBillingSettings(process.env),
  logger: createLogger({ service: "billing", instance: "test", level: "silent" }),
  metrics: createMetrics({ service: "billing" }),
  pace: JSON.parse(process.argv[2] ?? "{}"),
});
process.send?.("started");
