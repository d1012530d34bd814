import { Text } from "@mantine/core";
import { formatCount } from "../../format/format.ts";
import { TableSection } from "../../kit/data-table.tsx";
import { Moment } from "../../kit/moment.tsx";
import { Section } from "../../kit/page.tsx";
import { Empty, EmptyLine } from "../../kit/states.tsx";
import type { System } from "./read.ts";

/** What the comparison of wallets and ledger found. */
export function Reconciliation({ system }: { system: System | undefined }) {
  const reconciliation = system?.reconciliation;
  const finishedAt = reconciliation?.finished_at;
  if (reconciliation?.differences === null) {
    return (
      <Section title="Reconciliation">
        <Empty isCard line="Half of the ledger cannot be read.">
          Billing compares Redis with Postgres, and goes on when Redis is available again.
        </Empty>
      </Section>
    );
  }
  return (
    <TableSection
      title="Reconciliation"
      about={
        finishedAt ? (
          <>
            Billing compares every value of Redis and Postgres all the time. The last comparison of everything
            ended <Moment iso={finishedAt} />.
            {reconciliation !== undefined &&
              reconciliation.differences > reconciliation.listed.length &&
              ` The first ${reconciliation.listed.length} of ${formatCount(reconciliation.differences)} differences are shown; the audit command lists all.`}
          </>
        ) : (
          `Billing compares every value of Redis and Postgres all the time.${system === undefined ? "" : " The first comparison is not finished."}`
        )
      }
      label="Differences"
      name="differences"
      rows={reconciliation?.listed}
      rowKey={({ check, subject }) => `${check} ${subject}`}
      skeletonRows={2}
      empty={
        finishedAt ? (
          <EmptyLine tone="positive" line="Every ledger tells the same story.">
            No two values disagree.
          </EmptyLine>
        ) : (
          <EmptyLine tone="info" line="The first comparison is still running.">
            Nothing has been found so far.
          </EmptyLine>
        )
      }
      columns={(make) => [
        make.text("what", "Compared", ({ what }) => what, {
          phone: "title",
          cell: ({ what, check }) => (
            <div>
              {what}
              <Text c="dimmed" fz="xs" ff="monospace">
                {check}
              </Text>
            </div>
          ),
        }),
        make.status(
          "kind",
          "Kind",
          ({ kind }) =>
            kind === "money"
              ? { tone: "negative", word: "Must never differ" }
              : { tone: "warning", word: "Overdue" },
          { phone: "fact" },
        ),
        make.id("subject", "Whose", ({ subject }) => subject, "subject"),
        make.text("expected", "Expected", ({ expected }) => expected, { align: "right" }),
        make.text("found", "Found", ({ found }) => found, {
          align: "right",
          phone: "fact",
        }),
      ]}
    />
  );
}
