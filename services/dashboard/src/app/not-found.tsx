import { ButtonLink } from "../kit/button-link.tsx";
import { Page } from "../kit/page.tsx";
import { Empty } from "../kit/states.tsx";

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty isCard line="The map ends here." action={<ButtonLink to="/">Go to the overview</ButtonLink>}>
        No page has this address. It may have moved, or the link is incomplete.
      </Empty>
    </Page>
  );
}
