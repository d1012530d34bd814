import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { Chart } from "../../charts/chart.tsx";
import { countryName } from "../../format/countries.ts";
import { formatCount } from "../../format/format.ts";
import { TableSection } from "../../kit/data-table.tsx";
import { Empty } from "../../kit/states.tsx";
import { sumsByName } from "./calls.ts";
import { pointKey, useTrafficSeries } from "./period.tsx";
import { REASON_NAMES, reasonAdvice, reasonFixes } from "./reason-advice.ts";
import { distinctScenes, sceneAndReason, sceneSummary, testerPath } from "./scene-link.ts";
import { TestScene } from "./test-scene.tsx";
import { pathOf, usePlacement } from "./use-placement.ts";

/** A scene is sampled within seconds; a developer who has just tested one should find it here. */
const SCENES_REFETCH_MS = 10_000;
const SCENES_PER_PAGE = 10;
/** What another page of the game changes. */
const LINKED_REASONS: ReadonlySet<string> = new Set([
  "no_eligible_campaign",
  "session_cap",
  "placement_disabled",
]);

/** Why requests got no ad, what helps against each reason, and the scenes that it happened to. */
export function Component() {
  const placement = usePlacement();
  const { series, control, words, rowLabel } = useTrafficSeries(placement);
  const { canChange } = useAbility();
  const scenes = useRead("GET /traffic/{game_id}/no-match-scenes", pathOf(placement), {
    refetchEveryMs: SCENES_REFETCH_MS,
  });
  const points = series.data?.points ?? [];
  const requests = points.reduce((sum, point) => sum + point.requests, 0);
  const counts = sumsByName(points.map(({ no_match: reasons }) => reasons));
  const shown = [...new Set([...REASON_NAMES, ...counts.keys()])].filter((reason) => counts.has(reason));
  const rows = series.data && (shown.length === 0 ? [] : points);
  return (
    <>
      <Chart
        title="Requests without an ad"
        about={`By reason, in ${words}. UTC. A request without an ad is no error: the game goes on with its own scene.`}
        kind="stacked"
        rows={rows?.map((point) => ({
          start: pointKey(series.data?.unit ?? "hour", point),
          ...Object.fromEntries(shown.map((reason) => [reason, point.no_match[reason] ?? 0])),
        }))}
        rowKey="start"
        rowLabel={rowLabel}
        series={shown.map((reason) => ({
          key: reason,
          label: reasonAdvice(reason).label,
          role: reasonAdvice(reason).role,
        }))}
        format="count"
        read={series}
        actions={control}
        empty={
          <Empty
            line={requests === 0 ? "No scene has asked yet." : "Every scene that asked got an ad."}
            action={<TestScene game={placement.game_id} />}
          >
            {requests === 0
              ? `There was no request in ${words}.`
              : requests === 1
                ? `The one request in ${words} was matched.`
                : `All ${formatCount(requests)} requests in ${words} were matched.`}
          </Empty>
        }
      />
      {shown.length > 0 && (
        <TableSection
          title="What helps"
          label="Reasons for no ad"
          name="reasons"
          rows={shown.map((reason) => ({
            reason,
            count: counts.get(reason) ?? 0,
            ...reasonAdvice(reason),
            fixes: reasonFixes(reason, placement.game_id, placement),
          }))}
          rowKey={({ reason }) => reason}
          empty={null}
          columns={(make) => [
            make.text("reason", "Reason", ({ label }) => label, {
              phone: "title",
              cell: ({ label, reason }) => (
                <div>
                  <Text fw={600}>{label}</Text>
                  <Text ff="monospace" fz="xs" c="dimmed">
                    {reason}
                  </Text>
                </div>
              ),
            }),
            make.number("count", "Requests", ({ count }) => count, { phone: "fact" }),
            make.share("share", "Share", ({ count }) => count / Math.max(1, requests), { phone: "fact" }),
            {
              key: "means",
              header: "What it means",
              csv: ({ means }) => means,
              cell: ({ means }) => means,
            },
            make.text("helps", "What helps", ({ fixes }) => fixes.map(({ helps }) => helps).join(" "), {
              cell: ({ reason, fixes }) =>
                fixes.map(({ helps, link }) => (
                  <div key={helps}>
                    {helps}{" "}
                    {link && LINKED_REASONS.has(reason) && (
                      <Anchor component={Link} to={link.path}>
                        {link.label}
                      </Anchor>
                    )}
                  </div>
                )),
            }),
          ]}
        />
      )}
      <TableSection
        title="Recent scenes without an ad"
        about="A sample of the last seven days, without players and sessions; of equal scenes the newest. Open one in the match tester and change it until something fits."
        label="Scenes without an ad"
        name="scenes"
        rows={scenes.data && distinctScenes(scenes.data, sceneAndReason)}
        rowKey={sceneAndReason}
        read={scenes}
        skeletonRows={3}
        pageSize={SCENES_PER_PAGE}
        empty={
          <Empty line="No scene went without." action={<TestScene game={placement.game_id} />}>
            Scenes appear here when a request of this game gets no ad.
          </Empty>
        }
        columns={(make) => [
          make.text("scene", "Scene", ({ game_context: scene }) => sceneSummary(scene), {
            phone: "title",
            cell: ({ game_context: scene }) => (
              <div>
                <Text>{sceneSummary(scene)}</Text>
                {scene.narrative && (
                  <Text c="dimmed" ff="var(--story-font)" lineClamp={2} maw={480}>
                    {scene.narrative}
                  </Text>
                )}
              </div>
            ),
          }),
          make.text("reason", "Reason", ({ reason }) => reasonAdvice(reason).label, { phone: "fact" }),
          make.text("country", "Country", ({ country_code: code }) => countryName(code)),
          make.moment("at", "When", ({ at }) => at),
          ...(canChange
            ? [
                make.actions(
                  (scene) => (
                    <Anchor
                      component={Link}
                      to={testerPath(scene)}
                      aria-label={`Test this scene: ${sceneSummary(scene.game_context)}`}
                      style={{ whiteSpace: "nowrap" }}
                    >
                      Test this scene
                    </Anchor>
                  ),
                  { phone: "fact" },
                ),
              ]
            : []),
        ]}
      />
    </>
  );
}
