import { Button, Group, Text, Textarea } from "@mantine/core";
import { useEffect, useState } from "react";
import type { AnswerOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { useReadPages } from "../../api/use-read-all.ts";
import { formatCount } from "../../format/format.ts";
import { DataTable } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/dialog-form.tsx";
import { requiredTextField } from "../../kit/fields.ts";
import { notifyDone } from "../../kit/notify.ts";
import { Section } from "../../kit/page.tsx";
import { Preformatted } from "../../kit/preformatted.tsx";
import { RowAction } from "../../kit/row-actions.tsx";
import { EmptyLine } from "../../kit/states.tsx";
import { pageNumber } from "../../kit/table-rows.ts";
import { useUrlState } from "../../kit/use-url-state.ts";
import { REFETCH_MS } from "./read.ts";

const UNDECIDED = { resolution: "" };

type QuarantinedRecord = AnswerOf<"GET /system/quarantine">[number];

/** Impressions that billing could not write, for an operator to resolve. */
export function Quarantine() {
  const records = useReadPages("GET /system/quarantine", {}, { refetchEveryMs: REFETCH_MS });
  const rows = records.data?.flat();
  const { data: system } = useRead("GET /system");
  const [pagesText, setPages] = useUrlState("quarantine-pages", "1", { known: pageNumber });
  const { hasNextPage, isFetching, isError, fetchNextPage } = records;
  const loaded = records.data?.length ?? 0;
  const isReadingOlder = loaded > 0 && hasNextPage && loaded < Number(pagesText);
  useEffect(() => {
    if (isReadingOlder && !isFetching && !isError) void fetchNextPage();
  }, [isReadingOlder, isFetching, isError, fetchNextPage]);
  const [chosen, setChosen] = useState<QuarantinedRecord>();
  return (
    <Section
      title="Quarantined records"
      about="Impressions that could not be written. Each counts as a difference until somebody decides about it."
    >
      <DataTable
        label="Quarantined records"
        name="quarantine"
        rows={rows}
        rowKey={({ impression_id: id }) => id}
        read={records}
        skeletonRows={2}
        empty={
          <EmptyLine tone="positive" line="Every page is in the book.">
            No record waits for a decision.
          </EmptyLine>
        }
        columns={(make) => [
          make.id("impression", "Impression", ({ impression_id: id }) => id, "impression id", {
            phone: "title",
          }),
          make.text("reason", "Reason", ({ reason }) => reason, { phone: "fact" }),
          make.id("advertiser", "Advertiser", ({ advertiser_id: id }) => id, "advertiser id"),
          make.moment("found", "Found", ({ quarantined_at: at }) => at),
          make.actions(
            (record) => (
              <RowAction label="Resolve" name={record.impression_id} run={() => setChosen(record)} />
            ),
            { phone: "fact" },
          ),
        ]}
      />
      {hasNextPage && (
        <Group mt="sm">
          <Text c="dimmed">
            {system === undefined
              ? `The newest ${formatCount(rows?.length ?? 0)} are shown.`
              : `The newest ${formatCount(rows?.length ?? 0)} of ${formatCount(system.quarantined_records)} are shown.`}
          </Text>
          <Button
            variant="default"
            size="compact-sm"
            loading={isReadingOlder && !isError}
            onClick={() => {
              setPages(String(loaded + 1));
              // After a failure the address names the page already.
              if (isError) void fetchNextPage();
            }}
          >
            Show older records
          </Button>
        </Group>
      )}
      <Dialog
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title="Resolve a quarantined record"
        size="lg"
      >
        {chosen && <ResolveForm record={chosen} onClose={() => setChosen(undefined)} />}
      </Dialog>
    </Section>
  );
}

function ResolveForm({ record, onClose }: { record: QuarantinedRecord; onClose: () => void }) {
  const form = useApiForm("POST /system/quarantine/{impression_id}/resolve", UNDECIDED, {
    draft: `resolution of ${record.impression_id}`,
  });
  const send = async () => {
    const resolved = await form.send({ path: { impression_id: record.impression_id } });
    if (resolved === undefined) return;
    notifyDone("The record is resolved.");
    onClose();
  };
  return (
    <DialogForm form={form} onSend={send} onClose={onClose} action="Resolve record">
      <Text>{record.reason}</Text>
      <Preformatted>{record.record}</Preformatted>
      <Textarea
        label="What was decided"
        description="About the charge, and who was informed. It stays with the record."
        autosize
        minRows={2}
        {...requiredTextField(form, "resolution")}
        data-autofocus
      />
      <Text c="dimmed" fz="xs">
        The record is never written: nobody is charged or paid by this. It cannot be undone.
      </Text>
    </DialogForm>
  );
}
