import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { isReplayed } from "../../api/call.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { formatCents } from "../../format/format.ts";
import { useHoldDialog } from "../../kit/dialog.tsx";
import { moneyField } from "../../kit/fields.ts";
import { Form } from "../../kit/form.tsx";
import { MoneyInput } from "../../kit/money-input.tsx";
import { notifyDone } from "../../kit/notify.ts";

const AMOUNTS_CENTS = [5_000, 20_000, 100_000];

interface DepositFormProps {
  onDone?: () => void;
}

export function DepositForm({ onDone }: DepositFormProps) {
  const form = useApiForm("POST /deposit", { amount_cents: AMOUNTS_CENTS[0] ?? 0 }, { draft: "deposit" });
  useHoldDialog(form.isSending);
  const send = async () => {
    const made = await form.send({});
    if (made === undefined) return;
    const amount = formatCents(made.deposited_cents);
    notifyDone(
      isReplayed(made)
        ? `The ${amount} had arrived already: nothing was deposited twice. To deposit as much again, send it once more.`
        : `${amount} deposited. The balance is ${formatCents(made.balance_cents)}.`,
    );
    onDone?.();
  };
  const amount = form.values.amount_cents;
  return (
    <Form onSend={send}>
      <Stack maw={480}>
        <MoneyInput
          label="Amount"
          data-autofocus
          description="Campaigns can use the money immediately. You pay only for impressions that players have seen."
          {...moneyField(form, "amount_cents")}
        />
        <Group gap="xs">
          {AMOUNTS_CENTS.map((cents) => (
            <Button
              key={cents}
              variant="default"
              size="compact-sm"
              onClick={() => form.set("amount_cents", cents)}
            >
              {formatCents(cents)}
            </Button>
          ))}
        </Group>
        {form.failure && <Alert color="negative">{form.failure}</Alert>}
        <Group>
          <Button type="submit" loading={form.isSending}>
            {amount && amount > 0 ? `Deposit ${formatCents(amount)}` : "Deposit"}
          </Button>
          <Text c="dimmed" fz="xs">
            This installation takes no real money.
          </Text>
        </Group>
      </Stack>
    </Form>
  );
}
