import { useNavigate, useParams } from "react-router";
import { useRead } from "../../api/queries.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { notifyDone } from "../../kit/notify.ts";
import { Page } from "../../kit/page.tsx";
import { CreativeEditor } from "./creative-editor.tsx";

export function Component() {
  const { campaignId = "" } = useParams();
  const path = { campaign_id: campaignId };
  const campaign = useRead("GET /campaigns/{campaign_id}", { path });
  const profile = useRead("GET /profile");
  const form = useApiForm("POST /campaigns/{campaign_id}/creatives", {
    creative_type: "narrative_hook",
    tone: "neutral",
    alt_hooks: [],
  });
  const navigate = useNavigate();
  const save = async () => {
    const made = await form.send({ path });
    if (made === undefined) return;
    notifyDone("The creative is saved.");
    await navigate(`/campaigns/${campaignId}/lines`);
  };
  return (
    <Page
      title="New creative"
      back={{ to: `/campaigns/${campaignId}/lines`, label: campaign.data?.name ?? "Campaign" }}
      about="Write it as a sentence of the game's own story. The game inserts it word for word."
    >
      <CreativeEditor
        form={form}
        payer={profile.data?.company_name}
        onSave={save}
        action="Save creative"
        isNew
      />
    </Page>
  );
}
