import {
  lackingEventScope,
  notHttps,
  privateHost,
  type Scope,
  WEBHOOK_DEFAULTS,
  WEBHOOK_EVENT_SCOPES,
  type WebhookBody,
  type WebhookCreate,
  type WebhookEventType,
  type WebhookPatch,
} from "@diegetic/contracts";
import type { Prisma } from "@diegetic/database";
import { type Caller, isPrivateHost, type WebhookAddresses } from "@diegetic/service-kit";
import { orDefault, sentFields } from "../../core/shared/patch.ts";
import { timestamp } from "../../core/shared/time.ts";

export type Webhook = Prisma.WebhookGetPayload<object>;

export function toResponse(webhook: Webhook, nowMs: number): WebhookBody {
  const { previousSecretExpiresAt: expiresAt } = webhook;
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events as WebhookEventType[],
    description: webhook.description,
    is_active: webhook.isActive,
    balance_low_cents: webhook.balanceLowCents,
    hold_expiry_percent: webhook.holdExpiryPercent,
    hold_expiry_min_matches: webhook.holdExpiryMinMatches,
    previous_secret_expires_at:
      expiresAt === null || expiresAt.getTime() <= nowMs ? null : timestamp(expiresAt),
    created_at: timestamp(webhook.createdAt),
  };
}

type Choices = Pick<
  Webhook,
  | "url"
  | "events"
  | "description"
  | "isActive"
  | "balanceLowCents"
  | "holdExpiryPercent"
  | "holdExpiryMinMatches"
>;

/** The columns of a new webhook. */
export function newChoices(body: WebhookCreate): Choices {
  return changedChoices({ ...WEBHOOK_DEFAULTS, ...body }) as Choices;
}

/** The columns that a PATCH changes. */
export function changedChoices(patch: WebhookPatch): Partial<Choices> {
  return sentFields({
    url: patch.url,
    events: patch.events && [...new Set(patch.events)],
    description: patch.description,
    isActive: orDefault(patch.is_active, WEBHOOK_DEFAULTS.is_active),
    balanceLowCents: orDefault(patch.balance_low_cents, WEBHOOK_DEFAULTS.balance_low_cents),
    holdExpiryPercent: orDefault(patch.hold_expiry_percent, WEBHOOK_DEFAULTS.hold_expiry_percent),
    holdExpiryMinMatches: orDefault(patch.hold_expiry_min_matches, WEBHOOK_DEFAULTS.hold_expiry_min_matches),
  });
}

/**
 * Throws 403 unless the calling key has the scope of each event: otherwise it could read more than its scopes allow. Test
 * events need none.
 */
export function requireEventScopes(caller: Pick<Caller, "scopes">, events: readonly string[]): void {
  for (const event of events) {
    const scope = WEBHOOK_EVENT_SCOPES[event as WebhookEventType] as Scope | undefined;
    if (scope === undefined || caller.scopes.includes(scope)) continue;
    throw lackingEventScope.error(scope, event);
  }
}

/**
 * Throws 422 for an address that would be refused at every delivery. Names are resolved only then: what
 * they resolve to may change.
 */
export function requireAllowedUrl(text: string, addresses: WebhookAddresses): void {
  const url = new URL(text);
  const isAllowedScheme = url.protocol === "https:" || addresses === "any";
  if (!isAllowedScheme || url.username !== "" || url.password !== "") {
    throw notHttps.error(addresses === "any" ? "http or https" : "https");
  }
  if (addresses === "public" && isPrivateHost(url)) {
    throw privateHost.error(url.hostname.replace(/^\[|\]$/g, ""));
  }
}
