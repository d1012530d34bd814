import { Card, Checkbox, Group, SegmentedControl, Select } from "@mantine/core";
import { callForResponse } from "../../api/call.ts";
import type { AnswerOf } from "../../api/operations.ts";
import { FIGURES_REFETCH_MS } from "../../api/refetch-times.ts";
import { useAnswered } from "../../api/use-answered.ts";
import { useReadFirst } from "../../api/use-read-all.ts";
import { countryName } from "../../format/countries.ts";
import { firstDayOf, utcDayOf } from "../../format/days.ts";
import {
  centsOfMillicents,
  formatCount,
  formatDayWithYear,
  formatList,
  formatNoun,
} from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import type { Column, ColumnMakers } from "../../kit/columns.tsx";
import { CsvButton } from "../../kit/csv-button.tsx";
import { TableSection } from "../../kit/data-table.tsx";
import { Figures } from "../../kit/figures.tsx";
import { LongName } from "../../kit/long-name.tsx";
import { Money } from "../../kit/money.tsx";
import { valuesOf } from "../../kit/options.ts";
import { Page } from "../../kit/page.tsx";
import { Empty, NotLoaded } from "../../kit/states.tsx";
import { useUrlChoice, useUrlState } from "../../kit/use-url-state.ts";
import { NotRegistered } from "./not-registered.tsx";
import { useAdvertiser } from "./use-advertiser.ts";
import { useCampaigns } from "./use-campaigns.ts";

type SpendRow = AnswerOf<"GET /analytics/spend">["rows"][number];

const PERIODS = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "month", label: "This month" },
];
const GROUPS = [
  { value: "day", label: "Day" },
  { value: "campaign", label: "Campaign" },
  { value: "creative", label: "Creative" },
  { value: "country", label: "Country" },
] as const;
const DEFAULT_PERIOD = "30";
const DEFAULT_GROUPS = "day-campaign";
const MAX_ROWS = 500;

/** Exact spend by day, campaign, creative and country, grouped as the address says. */
export function Component() {
  const { isUnregistered, canRead } = useAdvertiser();
  const campaigns = useCampaigns({ enabled: canRead });
  const options = campaigns.data?.campaigns.map(({ campaign_id: id, name }) => ({ value: id, label: name }));
  const [period, setPeriod] = useUrlChoice("period", valuesOf(PERIODS), DEFAULT_PERIOD);
  const isListKnown = options !== undefined && !campaigns.isFetching;
  const [campaign, setCampaign] = useUrlChoice("campaign", isListKnown ? valuesOf(options) : undefined, "");
  const [by, setBy] = useUrlState("by", DEFAULT_GROUPS, { known: (text) => groupsOf(text).join("-") });
  const groups = groupsOf(by);
  const now = new Date();
  const query = {
    from: firstDayOf(period, now),
    group_by: groups.join(","),
    ...(campaign !== "" && { campaign_id: campaign }),
  };
  const spend = useReadFirst(
    "GET /analytics/spend",
    { query: { ...query, limit: MAX_ROWS } },
    { enabled: canRead, refetchEveryMs: FIGURES_REFETCH_MS },
  );
  const data = spend.data?.answer;
  const shownGroups = groupsOf(useAnswered(by, spend));
  if (isUnregistered) return <NotRegistered title="Spend" />;
  return (
    <Page
      title="Spend"
      about={
        data
          ? `From ${formatDayWithYear(data.from)} to ${formatDayWithYear(data.to)}, UTC, to a thousandth of a cent.`
          : "By UTC day, campaign, creative and country."
      }
      actions={
        <CsvButton
          fileName={`spend-${query.from}-to-${utcDayOf(now.getTime())}.csv`}
          read={(csv) => callForResponse("GET /analytics/spend", { query }, csv)}
          failure="The spend could not be downloaded."
        >
          CSV of all rows
        </CsvButton>
      }
    >
      <Card padding="md">
        <Group gap="lg" align="flex-end">
          <SegmentedControl aria-label="Period" data={PERIODS} value={period} onChange={setPeriod} />
          <Select
            aria-label="Campaign"
            placeholder="All campaigns"
            error={
              campaigns.data === undefined &&
              campaigns.isError && (
                <>
                  Names of the campaigns: <NotLoaded label="Campaigns" read={campaigns} />
                </>
              )
            }
            data={options ?? []}
            value={campaign === "" ? null : campaign}
            onChange={(value) => setCampaign(value ?? "")}
            searchable
            selectFirstOptionOnChange
            clearable
            w={260}
          />
          <Checkbox.Group
            label="One row for each"
            value={groups}
            onChange={(values) => {
              const chosen = GROUPS.map(({ value }) => value).filter((value) => values.includes(value));
              // Without any there would be one row: the total, which stands above.
              if (chosen.length > 0) setBy(chosen.join("-"));
            }}
          >
            <Group gap="md">
              {GROUPS.map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} />
              ))}
            </Group>
          </Checkbox.Group>
        </Group>
      </Card>
      <Figures
        read={spend}
        figures={[
          {
            label: "Spend",
            value: <Money cents={centsOfMillicents(data?.total.spent_millicents ?? 0)} exact />,
            note: "all rows together",
          },
          {
            label: "Impressions",
            value: formatCount(data?.total.impressions ?? 0),
            note: "all rows together",
          },
        ]}
      />
      <TableSection
        title={`Spend by ${formatList(shownGroups)}`}
        about={
          spend.data?.hasMore
            ? `The first ${formatNoun(MAX_ROWS, "row")}, newest first. Choose fewer groups or one campaign to see the rest here; the CSV has all.`
            : undefined
        }
        read={spend}
        rows={data?.rows}
        rowKey={({ date, campaign_id, creative_id, country_code }) =>
          [date, campaign_id, creative_id, country_code].join(" ")
        }
        empty={
          <Empty
            line="Not a coin has moved."
            action={
              <ButtonLink to="/campaigns" variant="default">
                Show the campaigns
              </ButtonLink>
            }
          >
            No impression was billed in this period with these filters.
          </Empty>
        }
        columns={(make) => spendColumns(make, shownGroups, data?.rows)}
      />
    </Page>
  );
}

function groupsOf(by: string) {
  const groupsIn = (text: string) =>
    GROUPS.map(({ value }) => value).filter((group) => text.split("-").includes(group));
  const groups = groupsIn(by);
  return groups.length > 0 ? groups : groupsIn(DEFAULT_GROUPS);
}

function spendColumns(
  make: ColumnMakers<SpendRow>,
  groups: readonly string[],
  rows: readonly SpendRow[] | undefined,
): Column<SpendRow>[] {
  const dimensions: Record<string, Column<SpendRow>> = {
    day: make.day("day", "Day (UTC)", ({ date }) => date, { phone: "title" }),
    campaign: make.name("campaign", "Campaign", ({ campaign_name: name = "" }) => name),
    creative: make.text(
      "creative",
      "Creative",
      ({ brand_name: brand = "", creative_id: id = "" }) => `${brand} ${id}`,
      {
        phone: "title",
        help: "The brand, and the end of the creative's ID.",
        cell: ({ brand_name: brand, creative_id: id }) => (
          <LongName isAside>{`${brand ?? "Deleted"} (${id?.slice(-6) ?? ""})`}</LongName>
        ),
      },
    ),
    country: make.text("country", "Country", ({ country_code: code = null }) => countryName(code), {
      phone: "title",
    }),
  };
  return [
    ...groups.flatMap((group) => dimensions[group] ?? []),
    make.number("impressions", "Impressions", ({ impressions }) => impressions, { phone: "fact" }),
    make.exactMoney("spend", "Spend", ({ spent_millicents: spent }) => spent, rows, { phone: "fact" }),
  ];
}
