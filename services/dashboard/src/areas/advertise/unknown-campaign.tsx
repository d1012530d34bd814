import { ButtonLink } from "../../kit/button-link.tsx";
import { Empty } from "../../kit/states.tsx";

/** In place of a page of a campaign that the account does not have. */
export function UnknownCampaign() {
  return (
    <Empty
      isCard
      line="Nobody here knows this campaign."
      action={<ButtonLink to="/campaigns">Show the campaigns</ButtonLink>}
    >
      The address may be incomplete, or the campaign belongs to another account.
    </Empty>
  );
}
