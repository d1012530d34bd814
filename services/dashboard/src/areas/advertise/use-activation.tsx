import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { hasStatus } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { formatCents, impressionCents } from "../../format/format.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { notifyDone, notifyFailed } from "../../kit/notify.ts";
import { capBelowPrice } from "./consequences.ts";
import { DepositForm } from "./deposit-form.tsx";
import type { Campaign } from "./use-campaign.ts";

interface Activation {
  run: () => Promise<void>;
  isRunning: boolean;
  /** Where a deposit is needed first, it is made here; the activation follows by itself. */
  dialog: ReactNode;
}

/**
 * Activates a campaign. Where its daily cap does not pay for one impression, asks before; where the balance does not, asks
 * for a deposit.
 */
export function useActivation({
  id,
  name,
  ...capAndBid
}: Pick<Campaign, "id" | "name" | "daily_cap_cents" | "cpm_bid_cents">): Activation {
  const confirm = useConfirm();
  const activate = useChange("POST /campaigns/{campaign_id}/activate");
  const [balanceCents, setBalanceCents] = useState<number>();
  const [isRunning, setRunning] = useState(false);
  const at = { path: { campaign_id: id } };
  const run = async () => {
    const capSentence = capBelowPrice(capAndBid);
    const isAgreed =
      capSentence === undefined ||
      (await confirm({
        title: `Activate ${name}`,
        consequences: [capSentence],
        action: "Activate campaign",
      }));
    if (isAgreed) await activateNow();
  };
  const activateNow = async () => {
    setRunning(true);
    try {
      await activate.mutateAsync(at);
      notifyDone(`${name} is active.`);
    } catch (error) {
      const lowBalanceCents = hasStatus(error, 409) ? await balanceBelowOneImpression(at) : undefined;
      if (lowBalanceCents === undefined)
        notifyFailed(`${name} was not activated.`, error, `${name} was activated`);
      else setBalanceCents(lowBalanceCents);
    }
    setRunning(false);
  };
  const close = () => setBalanceCents(undefined);
  const goOn = () => {
    close();
    void activateNow();
  };
  const dialog = (
    <Dialog opened={balanceCents !== undefined} onClose={close} title={`Deposit to activate ${name}`}>
      <Text mb="md">
        The balance of {formatCents(balanceCents ?? 0)} does not pay for an impression. After the deposit the
        campaign is activated.
      </Text>
      <DepositForm onDone={goOn} />
    </Dialog>
  );
  return { run, isRunning, dialog };
}

/** The balance, when that is what an activation lacks. */
async function balanceBelowOneImpression(at: { path: { campaign_id: string } }): Promise<number | undefined> {
  const read = Promise.all([call("GET /campaigns/{campaign_id}", at), call("GET /profile")]);
  const found = await read.catch(() => undefined);
  if (found === undefined) return undefined;
  const [{ cpm_bid_cents: bidCents }, { balance_cents: balanceCents }] = found;
  return balanceCents < impressionCents(bidCents) ? balanceCents : undefined;
}
