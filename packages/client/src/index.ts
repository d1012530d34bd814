import type { MatchResult } from "./generated/api.ts";

export type CreativeType = MatchResult["creative_type"];

export { DiegeticClient, type DiegeticClientOptions, type Match, type Scene } from "./client.ts";
export { DiegeticError } from "./diegetic-error.ts";
export type { ClientEvent, DropReason } from "./events.ts";
export type * from "./generated/api.ts";
export { MemoryOutbox } from "./outbox/memory-outbox.ts";
export type { Outbox, OutboxEntry } from "./outbox/outbox.ts";
export type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
export { type VerifyWebhookOptions, verifyWebhook, WebhookSignatureError } from "./webhooks.ts";
