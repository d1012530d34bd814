import { Stack } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import { formatTerm } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import type { ColumnMakers } from "../../kit/columns.tsx";
import { TableSection } from "../../kit/data-table.tsx";
import { Empty } from "../../kit/states.tsx";
import { snippetsPath } from "./game-path.ts";
import { TestScene } from "./test-scene.tsx";
import { pathOf, usePlacement } from "./use-placement.ts";

interface Word {
  type: string;
  value: string;
}

const fieldOf = ({ type }: Word) => (type === "tag" ? "Any field" : formatTerm(type));
const wordColumns = <Row extends Word>(make: ColumnMakers<Row>) => [
  make.text("word", "Word", ({ value }) => value, { phone: "title" }),
  make.text("type", "Field", fieldOf, { phone: "fact" }),
];
const listed = {
  rowKey: ({ type, value }: Word) => `${type} ${value}`,
  searchIn: ({ value, type }: Word) => [value, type],
  pageSize: 25,
};

/** The words of the game's scenes beside those that campaigns look for. */
export function Component() {
  const placement = usePlacement();
  const words = useRead("GET /traffic/{game_id}/words", pathOf(placement));
  return (
    <Stack gap="lg">
      <TableSection
        title="Words that campaigns look for"
        about="Your own active campaigns, or those of at least three advertisers, target these, and this game never sends them. Send one where it is true of a scene."
        name="unsent"
        read={words}
        rows={words.data?.unsent}
        {...listed}
        empty={
          <Empty line="Nothing is known to be missing." action={<TestScene game={placement.game_id} />}>
            Either this game sends every word that campaigns look for, or too few advertisers look for the
            same.
          </Empty>
        }
        columns={wordColumns}
      />
      <TableSection
        title="Words that this game sends"
        about="Counted in a sample of scenes of this month and the last. Others' campaigns count once at least three advertisers target the same word."
        name="sent"
        read={words}
        rows={words.data?.sent}
        {...listed}
        filters={[
          {
            key: "targeted",
            label: "Targeted",
            options: [
              { value: "yes", label: "Targeted" },
              { value: "no", label: "By fewer than three advertisers" },
            ],
            matches: ({ is_targeted: isTargeted }, value) => isTargeted === (value === "yes"),
          },
        ]}
        empty={
          <Empty
            line="No word has been said yet."
            action={
              <ButtonLink to={snippetsPath(placement.game_id)} variant="default">
                Show the snippets
              </ButtonLink>
            }
          >
            Words appear here once the game sends scenes with a location, moods or actions.
          </Empty>
        }
        columns={(make) => [
          ...wordColumns(make),
          make.number("scenes", "Scenes", ({ scenes }) => scenes),
          make.status(
            "targeted",
            "Campaigns",
            ({ is_targeted: isTargeted }) =>
              isTargeted
                ? { tone: "positive", word: "Targeted" }
                : { tone: "quiet", word: "By fewer than three advertisers" },
            { phone: "fact" },
          ),
        ]}
      />
    </Stack>
  );
}
