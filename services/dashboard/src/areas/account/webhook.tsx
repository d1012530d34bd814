import { Button } from "@mantine/core";
import { useParams } from "react-router";
import { hasStatus } from "../../api/api-error.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useReadPages } from "../../api/use-read-all.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Moment } from "../../kit/moment.tsx";
import { attempt } from "../../kit/notify.ts";
import { Page } from "../../kit/page.tsx";
import { Empty, NotLoaded } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { type Delivery, deliveryState } from "./webhook-events.ts";

const REFETCH_EVERY_MS = 2_000;
const BACK = { to: "/webhooks", label: "Webhooks" };

/** The deliveries of one webhook. */
export function Component() {
  const { webhookId = "" } = useParams();
  const { canChange } = useAbility();
  const input = { path: { webhook_id: webhookId } };
  const webhook = useRead("GET /webhooks/{webhook_id}", input);
  const deliveries = useReadPages("GET /webhooks/{webhook_id}/deliveries", input, {
    refetchEveryMs: REFETCH_EVERY_MS,
  });
  const test = useChange("POST /webhooks/{webhook_id}/test");
  const sendTest = async () => {
    await attempt(() => test.mutateAsync(input), {
      done: "A test event is on its way.",
      failed: "The test event was not sent.",
      change: "the test event is sent",
    });
  };
  if (hasStatus(webhook.error, 403, 404)) {
    return (
      <Page title="Deliveries" back={BACK}>
        <Empty
          isCard
          line="Nobody here knows this webhook."
          action={<ButtonLink to={BACK.to}>Show the webhooks</ButtonLink>}
        >
          It was deleted, or it belongs to another account.
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title="Deliveries"
      about={
        webhook.data?.url ?? (webhook.isError ? <NotLoaded label="Address" isNamed read={webhook} /> : null)
      }
      state={webhook.data?.is_active === false && <Status tone="quiet">Inactive</Status>}
      back={BACK}
      actions={
        canChange &&
        (webhook.data !== undefined || !webhook.isError) && (
          <Button
            onClick={() => void sendTest()}
            loading={test.isPending}
            disabled={webhook.data === undefined}
          >
            Send test event
          </Button>
        )
      }
    >
      <DataTable
        label="Deliveries"
        rows={deliveries.data?.flat()}
        rowKey={({ id }) => id}
        read={deliveries}
        skeletonRows={3}
        empty={
          <Empty line="No raven has flown yet.">
            Events of the last weeks appear here, with what your server answered.
          </Empty>
        }
        columns={(make) => [
          make.text("event", "Event", ({ event }) => event.type, { phone: "title" }),
          make.status("state", "State", deliveryState, { phone: "fact" }),
          make.moment("created", "Recorded", ({ created_at: at }) => at, { phone: "fact" }),
          make.text("next", "Next attempt", ({ next_attempt_at: at }) => at, {
            cell: ({ next_attempt_at: at }) => (at === null ? "" : <Moment iso={at} />),
          }),
          make.actions((delivery) => (canChange ? <Again delivery={delivery} /> : null)),
        ]}
      />
      {deliveries.hasNextPage && (
        <Button
          variant="default"
          size="compact-sm"
          mt="sm"
          loading={deliveries.isFetchingNextPage}
          onClick={() => void deliveries.fetchNextPage()}
        >
          Show older deliveries
        </Button>
      )}
    </Page>
  );
}

function Again({ delivery: { id, event } }: { delivery: Delivery }) {
  const redeliver = useChange("POST /webhooks/deliveries/{delivery_id}/redeliver");
  const send = async () => {
    await attempt(() => redeliver.mutateAsync({ path: { delivery_id: id } }), {
      done: "The event is sent again.",
      failed: "The event was not sent again.",
      change: "the event is sent again",
    });
  };
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Send again: ${event.type}`}
      loading={redeliver.isPending}
      onClick={() => void send()}
    >
      Send again
    </Button>
  );
}
