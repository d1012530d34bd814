import { useNavigate, useParams } from "react-router";
import { hasStatus } from "../../api/api-error.ts";
import type { BodyOf } from "../../api/operations.ts";
import { useRead } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { notifyDone } from "../../kit/notify.ts";
import { Page } from "../../kit/page.tsx";
import { CreativeEditor } from "./creative-editor.tsx";
import { CREATE, USES } from "./creative-fields.ts";
import { ForManagers } from "./for-managers.tsx";
import { missingLine } from "./form-checks.ts";
import { UnknownCampaign } from "./unknown-campaign.tsx";

const NEW_CREATIVE: Partial<BodyOf<typeof CREATE>> = {
  creative_type: "narrative_hook",
  tone: "neutral",
  alt_hooks: [],
  max_uses_per_game: USES.usual,
};

export function Component() {
  const { campaignId = "" } = useParams();
  const { canChange } = useAbility();
  const campaign = useRead("GET /campaigns/{campaign_id}", { path: { campaign_id: campaignId } });
  const lines = `/campaigns/${campaignId}/lines`;
  if (hasStatus(campaign.error, 403, 404)) {
    return (
      <Page title="New creative" back={{ to: "/campaigns", label: "Campaigns" }}>
        <UnknownCampaign />
      </Page>
    );
  }
  return (
    <Page
      title="New creative"
      back={{ to: lines, label: campaign.data?.name ?? "Campaign" }}
      about="Write it as a sentence of the game's own story. The game inserts it word for word."
    >
      {canChange ? (
        <NewCreative key={campaignId} campaignId={campaignId} onSaved={lines} />
      ) : (
        <ForManagers task="write creatives" next={{ to: lines, label: "Show the creatives" }} />
      )}
    </Page>
  );
}

function NewCreative({ campaignId, onSaved }: { campaignId: string; onSaved: string }) {
  const creatives = useRead("GET /campaigns/{campaign_id}/creatives", { path: { campaign_id: campaignId } });
  const brand = creatives.data?.at(-1)?.brand_name;
  const initial = brand === undefined ? NEW_CREATIVE : { ...NEW_CREATIVE, brand_name: brand };
  const form = useApiForm(CREATE, initial, {
    draft: `new creative of ${campaignId}`,
    check: missingLine,
  });
  const navigate = useNavigate();
  const save = async () => {
    const made = await form.send({ path: { campaign_id: campaignId } });
    if (made === undefined) return;
    notifyDone("The creative is saved.");
    await navigate(onSaved);
  };
  return <CreativeEditor form={form} onSave={save} action="Save creative" isNew />;
}
