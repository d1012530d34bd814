import { Button, Skeleton } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { ApiError, hasStatus } from "../../api/api-error.ts";
import { useChange, useRead, useReadNow } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { attempt, notifyDone } from "../../kit/notify.ts";
import { Page } from "../../kit/page.tsx";
import { Empty, Failed } from "../../kit/states.tsx";
import { CreativeEditor } from "./creative-editor.tsx";
import { missingLine } from "./form-checks.ts";
import { UnknownCampaign } from "./unknown-campaign.tsx";
import type { Creative } from "./use-campaign.ts";

export function Component() {
  const { campaignId = "", creativeId = "" } = useParams();
  const creatives = useRead("GET /campaigns/{campaign_id}/creatives", { path: { campaign_id: campaignId } });
  const creative = creatives.data?.find(({ id }) => id === creativeId);
  const back = { to: `/campaigns/${campaignId}/lines`, label: "Creatives" };
  if (creative !== undefined)
    return <EditCreative key={creativeId} creative={creative} isOnly={creatives.data?.length === 1} />;
  return (
    <Page title="Creative" back={back}>
      {hasStatus(creatives.error, 403, 404) ? (
        <UnknownCampaign />
      ) : creatives.error ? (
        <Failed isCard what="The creative could not be loaded." read={creatives} />
      ) : creatives.data === undefined ? (
        <Skeleton height={480} />
      ) : (
        <Empty
          isCard
          line="This page was torn out."
          action={<ButtonLink to={`/campaigns/${campaignId}/lines`}>Show the creatives</ButtonLink>}
        >
          The creative was deleted. Its impressions stay counted.
        </Empty>
      )}
    </Page>
  );
}

/** The fields that an advertiser writes. */
function fieldsOf(creative: Creative) {
  const { brand_name, product_name, tagline, narrative_hook, alt_hooks, tone, max_uses_per_game } = creative;
  return { brand_name, product_name, tagline, narrative_hook, alt_hooks, tone, max_uses_per_game };
}

interface EditCreativeProps {
  creative: Creative;
  /** The campaign has no other. */
  isOnly: boolean;
}

function EditCreative({ creative, isOnly }: EditCreativeProps) {
  const { id, campaign_id: campaignId, creative_type: type, brand_name: brand } = creative;
  const { canChange } = useAbility();
  const campaign = useRead("GET /campaigns/{campaign_id}", { path: { campaign_id: campaignId } });
  const remove = useChange("DELETE /creatives/{creative_id}");
  const confirm = useConfirm();
  const navigate = useNavigate();
  const readNow = useReadNow("GET /campaigns/{campaign_id}/creatives", { path: { campaign_id: campaignId } });
  const form = useApiForm("PATCH /creatives/{creative_id}", fieldsOf(creative), {
    draft: `creative ${id}`,
    readStored: async () => {
      const now = (await readNow()).find((one) => one.id === id);
      if (now === undefined) throw new ApiError(404, "The creative was deleted meanwhile.");
      return fieldsOf(now);
    },
    check: (values) => missingLine({ ...values, creative_type: type }),
  });
  const back = `/campaigns/${campaignId}/lines`;
  const save = async () => {
    const changed = await form.send({ path: { creative_id: id } }, fieldsOf);
    if (changed === undefined) return;
    notifyDone("Saved. Games show it from the next match.");
  };
  const runRemove = async () => {
    if (isOnly && campaign.data?.status === "active") {
      const isWriting = await confirm({
        title: "An active campaign needs a creative",
        consequences: ["This is its only one. Write another first, or pause the campaign."],
        action: "Write another creative",
      });
      if (isWriting) await navigate(`/campaigns/${campaignId}/creatives/new`);
      return;
    }
    const isAgreed = await confirm({
      title: "Delete the creative",
      consequences: [
        "No game shows it from the next match.",
        "Ads that were already matched are billed if they are seen within the next minutes.",
        "Its impressions stay in the analytics. It cannot be brought back.",
      ],
      action: "Delete creative",
      isDestructive: true,
    });
    if (!isAgreed) return;
    const isDeleted = await attempt(() => remove.mutateAsync({ path: { creative_id: id } }), {
      done: "The creative is deleted.",
      failed: "The creative was not deleted.",
      change: "the creative was deleted",
    });
    if (isDeleted) await navigate(back);
  };
  return (
    <Page
      title={brand}
      back={{ to: back, label: "Creatives" }}
      actions={
        canChange && (
          <Button
            variant="default"
            color="negative"
            onClick={() => void runRemove()}
            loading={remove.isPending}
          >
            Delete creative
          </Button>
        )
      }
    >
      <CreativeEditor form={form} type={type} onSave={save} action="Save changes" />
    </Page>
  );
}
