import { SimpleGrid } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import { formatCount, formatTerm } from "../../format/format.ts";
import { DataTable } from "../../kit/data-table.tsx";
import { Section } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { pathOf, usePlacement } from "./use-game.ts";

/** The words of the game's scenes beside those that campaigns look for. */
export function Component() {
  const words = useRead("GET /traffic/{game_id}/words", pathOf(usePlacement()));
  const { data, error } = words;
  const retry = () => void words.refetch();
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Section
        title="Words that this game sends"
        about="Counted in a sample of scenes of this month and the last. A word that no campaign targets brings no better match."
      >
        <DataTable
          label="Words sent"
          name="sent"
          rows={data?.sent}
          rowKey={({ type, value }) => `${type} ${value}`}
          error={error}
          onRetry={retry}
          pageSize={25}
          searchIn={({ value, type }) => [value, type]}
          filters={[
            {
              key: "targeted",
              label: "Targeted",
              options: [
                { value: "yes", label: "Targeted" },
                { value: "no", label: "Not targeted" },
              ],
              matches: ({ is_targeted: isTargeted }, value) => isTargeted === (value === "yes"),
            },
          ]}
          empty={
            <Empty line="No word has been said yet.">
              Words appear here once the game sends scenes with a location, moods or actions.
            </Empty>
          }
          columns={[
            {
              key: "word",
              header: "Word",
              phone: "title",
              value: ({ value }) => value,
              cell: ({ value }) => value,
            },
            {
              key: "type",
              header: "Field",
              phone: "fact",
              value: ({ type }) => type,
              cell: ({ type }) => formatTerm(type),
            },
            {
              key: "scenes",
              header: "Scenes",
              align: "right",
              value: ({ scenes }) => scenes,
              cell: ({ scenes }) => formatCount(scenes),
            },
            {
              key: "targeted",
              header: "Campaigns",
              phone: "fact",
              value: ({ is_targeted: isTargeted }) => (isTargeted ? "targeted" : "not targeted"),
              cell: ({ is_targeted: isTargeted }) =>
                isTargeted ? (
                  <Status tone="positive">Targeted</Status>
                ) : (
                  <Status tone="quiet">Not targeted</Status>
                ),
            },
          ]}
        />
      </Section>
      <Section
        title="Words that campaigns look for"
        about="Active campaigns of at least three advertisers target these, and this game never sends them. Send one where it is true of a scene."
      >
        <DataTable
          label="Words never sent"
          name="unsent"
          rows={data?.unsent}
          rowKey={({ type, value }) => `${type} ${value}`}
          error={error}
          onRetry={retry}
          pageSize={25}
          searchIn={({ value, type }) => [value, type]}
          empty={
            <Empty line="Nothing is missing.">
              Either this game sends every word that campaigns look for, or too few advertisers look for the
              same.
            </Empty>
          }
          columns={[
            {
              key: "word",
              header: "Word",
              phone: "title",
              value: ({ value }) => value,
              cell: ({ value }) => value,
            },
            {
              key: "type",
              header: "Field",
              phone: "fact",
              value: ({ type }) => type,
              cell: ({ type }) => (type === "tag" ? "Any field" : formatTerm(type)),
            },
          ]}
        />
      </Section>
    </SimpleGrid>
  );
}
