import { Badge, Button, Group } from "@mantine/core";
import { useChange, useRead } from "../../api/queries.ts";
import { useConfirm } from "../../kit/confirm.tsx";
import { TableSection } from "../../kit/data-table.tsx";
import { attempt } from "../../kit/notify.ts";
import { RowAction } from "../../kit/row-actions.tsx";
import { Empty } from "../../kit/states.tsx";
import { usePending } from "../../kit/use-pending.ts";
import { browserOf } from "./browser-of.ts";

const OTHERS = "others";

/** Where the user is signed in. */
export function Sessions() {
  const confirm = useConfirm();
  const sessions = useRead("GET /auth/sessions");
  const endSession = useChange("DELETE /auth/sessions/{session_id}");
  const endOtherSessions = useChange("POST /auth/end-other-sessions");
  const { isPending, whilePending } = usePending();
  const end = async (id: string, work: () => Promise<unknown>, done: string) => {
    const failed = "The session was not ended.";
    await attempt(() => whilePending(id, work), { done, failed, change: "it was ended" });
  };
  const endOthers = async () => {
    const isAgreed = await confirm({
      title: "End all other sessions",
      consequences: ["Every other browser that is signed in as you has to sign in again."],
      action: "End other sessions",
    });
    if (!isAgreed) return;
    await end(OTHERS, () => endOtherSessions.mutateAsync({}), "All other sessions were ended.");
  };
  const hasOthers = sessions.data?.some(({ current }) => !current) ?? false;
  return (
    <TableSection
      title="Sessions"
      about="The browsers in which you are signed in. End one that you do not recognise, then change your password."
      actions={
        hasOthers && (
          <Button variant="default" onClick={() => void endOthers()} loading={isPending(OTHERS)}>
            End other sessions
          </Button>
        )
      }
      isPlain
      rows={sessions.data}
      rowKey={({ id }) => id}
      read={sessions}
      empty={<Empty line="Nobody is here.">Sessions appear when somebody signs in.</Empty>}
      skeletonRows={2}
      columns={(make) => [
        make.text("browser", "Browser", ({ user_agent: agent }) => browserOf(agent), {
          phone: "title",
          cell: ({ user_agent: agent, current }) => (
            <Group gap="xs">
              {browserOf(agent)}
              {current && (
                <Badge variant="outline" color="positive" tt="none">
                  This browser
                </Badge>
              )}
            </Group>
          ),
        }),
        make.text("address", "Address", ({ client_address: address }) => address, {
          phone: "fact",
          cell: ({ client_address: address }) => address ?? "Unknown",
        }),
        make.moment("created", "Signed in", ({ created_at: at }) => at, { phone: "fact" }),
        make.actions(({ id, current, user_agent: agent }) =>
          current ? null : (
            <RowAction
              label="End session"
              name={`in ${browserOf(agent)}`}
              run={() =>
                void end(
                  id,
                  () => endSession.mutateAsync({ path: { session_id: id } }),
                  "The session was ended.",
                )
              }
              isPending={isPending(id)}
              isDestructive
            />
          ),
        ),
      ]}
    />
  );
}
