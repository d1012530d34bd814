import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import { hasStatus } from "../../api/api-error.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useReadPages } from "../../api/use-read-all.ts";
import { formatMoment } from "../../format/format.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Moment } from "../../kit/moment.tsx";
import { attempt } from "../../kit/notify.ts";
import { Page } from "../../kit/page.tsx";
import { RowAction } from "../../kit/row-actions.tsx";
import { Empty, NotLoaded } from "../../kit/states.tsx";
import { Status } from "../../kit/status.tsx";
import { DeliveryDetails } from "./delivery-details.tsx";
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
  const rows = deliveries.data?.flat();
  const [openedId, setOpenedId] = useState<string>();
  const opened = rows?.find(({ id }) => id === openedId);
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
        rows={rows}
        rowKey={({ id }) => id}
        read={deliveries}
        skeletonRows={3}
        empty={
          <Empty line="No raven has flown yet.">
            Events of the last weeks appear here, with what your server answered.
          </Empty>
        }
        columns={(make) => [
          make.text("event", "Event", ({ event }) => event.type, { phone: "title", spoken: nameOf }),
          make.status("state", "State", deliveryState, { phone: "fact" }),
          make.moment("created", "Recorded", ({ created_at: at }) => at, { phone: "fact" }),
          make.text("next", "Next attempt", ({ next_attempt_at: at }) => at, {
            cell: ({ next_attempt_at: at }) => (at === null ? "" : <Moment iso={at} />),
          }),
          make.actions((delivery) => (
            <Group gap={4} wrap="nowrap" justify="flex-end">
              <RowAction
                label="Details"
                name={`of ${nameOf(delivery)}`}
                run={() => setOpenedId(delivery.id)}
              />
              {canChange && <Again delivery={delivery} />}
            </Group>
          )),
        ]}
      />
      <Dialog
        opened={opened !== undefined}
        onClose={() => setOpenedId(undefined)}
        title={opened?.event.type}
        size="xl"
      >
        {opened && <DeliveryDetails delivery={opened} />}
      </Dialog>
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

/** Tells apart deliveries of the same kind of event. */
function nameOf({ event, created_at: at }: Delivery): string {
  return `${event.type}, recorded ${formatMoment(at)}`;
}

function Again({ delivery }: { delivery: Delivery }) {
  const redeliver = useChange("POST /webhooks/deliveries/{delivery_id}/redeliver");
  const send = async () => {
    await attempt(() => redeliver.mutateAsync({ path: { delivery_id: delivery.id } }), {
      done: "The event is sent again.",
      failed: "The event was not sent again.",
      change: "the event is sent again",
    });
  };
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Send again: ${nameOf(delivery)}`}
      loading={redeliver.isPending}
      onClick={() => void send()}
    >
      Send again
    </Button>
  );
}
