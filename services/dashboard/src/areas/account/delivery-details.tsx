import { Group, Stack, Text } from "@mantine/core";
import { formatCount } from "../../format/format.ts";
import { TableSection } from "../../kit/data-table.tsx";
import { Id } from "../../kit/id.tsx";
import { Section } from "../../kit/page.tsx";
import { Preformatted } from "../../kit/preformatted.tsx";
import { EmptyLine } from "../../kit/states.tsx";
import { Status, type Tone } from "../../kit/status.tsx";
import { type Delivery, deliveryState } from "./webhook-events.ts";

/** What a delivery sends, and what came of each of its attempts. */
export function DeliveryDetails({ delivery }: { delivery: Delivery }) {
  const { event, attempts, attempt_count: count } = delivery;
  const { tone, word } = deliveryState(delivery);
  return (
    <Stack gap="lg">
      <Group gap="md">
        <Status tone={tone}>{word}</Status>
        <Id value={event.id} label="event id" />
      </Group>
      <TableSection
        title="Attempts"
        about={count > attempts.length && `The last ${attempts.length} of ${formatCount(count)}.`}
        name="attempts"
        isPlain
        rows={attempts}
        rowKey={({ attempted_at: at }) => at}
        empty={
          <EmptyLine tone="info" line="The raven waits for its letter.">
            It has not been sent yet.
          </EmptyLine>
        }
        columns={(make) => [
          make.status("result", "Result", resultOf, { phone: "title" }),
          make.moment("at", "Sent", ({ attempted_at: at }) => at, { phone: "fact" }),
          make.number("duration", "Duration, ms", ({ duration_ms: ms }) => ms, { phone: "fact" }),
          make.text("response", "Answer", ({ response }) => response, {
            help: "Its first 200 characters.",
            cell: ({ response }) => response && <Preformatted>{response}</Preformatted>,
          }),
        ]}
      />
      <Section title="Body" about="What is sent, in lines of its own.">
        <Preformatted>{JSON.stringify(event, null, 2)}</Preformatted>
        <Text c="dimmed" fz="xs" mt="sm">
          Every attempt sends the same id, by which your server knows an event that it has already.
        </Text>
      </Section>
    </Stack>
  );
}

function resultOf({ status, error }: Delivery["attempts"][number]): {
  tone: Tone;
  word: string;
  cause?: string | null;
} {
  if (status === null) return { tone: "negative", word: "No answer", cause: error };
  const isTaken = status >= 200 && status < 300;
  return { tone: isTaken ? "positive" : "negative", word: `Answered ${status}` };
}
