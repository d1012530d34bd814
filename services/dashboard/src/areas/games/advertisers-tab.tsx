import { Stack, Text } from "@mantine/core";
import { useRef } from "react";
import { call } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { listRefetchMs } from "../../api/refetch-times.ts";
import { useAbility } from "../../api/session.ts";
import { joinLists, useReadAll } from "../../api/use-read-all.ts";
import { centsOfMicrocents } from "../../format/format.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { DataTable, TableSection } from "../../kit/data-table.tsx";
import { attempt } from "../../kit/notify.ts";
import { RowAction } from "../../kit/row-actions.tsx";
import { Empty } from "../../kit/states.tsx";
import { usePending } from "../../kit/use-pending.ts";
import { TestScene } from "./test-scene.tsx";
import { pathOf, usePlacement } from "./use-placement.ts";

/** Who was shown in the game, with what they said; each can be blocked and allowed again. */
export function Component() {
  const placement = usePlacement();
  const { canChange } = useAbility();
  const confirm = useConfirm();
  const advertisers = useReadAll("GET /creator-revenue/{game_id}/advertisers", pathOf(placement), joinLists, {
    refetchEveryMs: ({ length }) => listRefetchMs(length),
  });
  const change = useChange("PATCH /placements/{game_id}");
  const { isPending, whilePending } = usePending();
  const lastChange = useRef<Promise<unknown>>(Promise.resolve());
  const unseen = placement.blocked_advertisers.filter(
    (id) => !(advertisers.data ?? []).some((one) => one.advertiser_id.toLowerCase() === id.toLowerCase()),
  );

  const setBlocked = async (id: string, name: string, isBlocked: boolean) => {
    if (isBlocked) {
      const isAgreed = await confirm({
        title: `Block ${name}`,
        consequences: [
          `Nothing of ${name} is matched in this game from now on.`,
          "Lines that were matched before and are seen are still billed.",
          "You can allow it again at any time.",
        ],
        action: "Block advertiser",
      });
      if (!isAgreed) return;
    }
    const apply = async (former: Promise<unknown>) => {
      await former.catch(() => undefined);
      // The PATCH takes the whole list: the one on the page may lack what was blocked since.
      const { blocked_advertisers: blocked } = await call("GET /placements/{game_id}", pathOf(placement));
      const others = blocked.filter((one) => one.toLowerCase() !== id.toLowerCase());
      await change.mutateAsync({
        ...pathOf(placement),
        body: { blocked_advertisers: isBlocked ? [...others, id] : others },
      });
    };
    const applyAfterLast = () => {
      lastChange.current = apply(lastChange.current);
      return lastChange.current;
    };
    await attempt(() => whilePending(id, applyAfterLast), {
      done: isBlocked ? `${name} is blocked in this game.` : `${name} is allowed in this game again.`,
      failed: "Nothing was changed.",
      change: `${name} was ${isBlocked ? "blocked" : "allowed again"}`,
    });
  };
  const button = (id: string, name: string, isBlocked: boolean) =>
    canChange && (
      <RowAction
        label={isBlocked ? "Allow" : "Block"}
        name={name}
        run={() => void setBlocked(id, name, !isBlocked)}
        isPending={isPending(id)}
        isDestructive={!isBlocked}
      />
    );

  return (
    <>
      <DataTable
        label="Advertisers"
        rows={advertisers.data}
        rowKey={({ advertiser_id: id }) => id}
        read={advertisers}
        searchIn={({ company_name: name, brand_names: brands, recent_lines: lines }) => [
          name,
          ...brands,
          ...lines,
        ]}
        filters={[
          {
            key: "blocked",
            label: "State",
            options: [
              { value: "allowed", label: "Allowed" },
              { value: "blocked", label: "Blocked" },
            ],
            matches: ({ is_blocked: isBlocked }, value) => isBlocked === (value === "blocked"),
          },
        ]}
        empty={
          <Empty line="Nobody has spoken here yet." action={<TestScene game={placement.game_id} />}>
            Advertisers appear with their first billed impression in this game.
          </Empty>
        }
        columns={(make) => [
          make.name("company", "Advertiser", ({ company_name: name }) => name, {
            below: ({ brand_names: brands }) => (
              <Text fz="xs" c="dimmed" maw={280}>
                {brands.join(", ")}
              </Text>
            ),
          }),
          make.money("earned", "Earned", ({ earned_microcents: earned }) => centsOfMicrocents(earned), {
            phone: "fact",
          }),
          make.number("impressions", "Impressions", ({ impressions }) => impressions),
          make.text("lines", "Recent lines", ({ recent_lines: lines }) => lines.join(" / "), {
            cell: ({ recent_lines: lines }) => (
              <Stack gap={4} maw={420}>
                {lines.map((line) => (
                  <Text key={line} ff="var(--story-font)" fz="sm">
                    {line}
                  </Text>
                ))}
              </Stack>
            ),
          }),
          make.status(
            "state",
            "State",
            ({ is_blocked: isBlocked }) =>
              isBlocked ? { tone: "negative", word: "Blocked" } : { tone: "positive", word: "Allowed" },
            { phone: "fact" },
          ),
          make.actions(({ advertiser_id: id, company_name: name, is_blocked: isBlocked }) =>
            button(id, name, isBlocked),
          ),
        ]}
      />
      {advertisers.data !== undefined && unseen.length > 0 && (
        <TableSection
          title="Blocked, and never seen here"
          about="Blocked by identifier, before anything was shown."
          label="Other blocked advertisers"
          name="unseen"
          rows={unseen.map((id) => ({ id }))}
          rowKey={({ id }) => id}
          empty={null}
          columns={(make) => [
            make.id("id", "Advertiser", ({ id }) => id, "advertiser id", { phone: "title" }),
            make.actions(({ id }) => button(id, id, true), { phone: "fact" }),
          ]}
        />
      )}
    </>
  );
}
