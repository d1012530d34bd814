import { ButtonLink } from "../../kit/button-link.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { ADVERTISE_PATH } from "./advertise-path.ts";

/** In place of an advertiser's page, while the account has no advertiser profile. */
export function NotRegistered({ title }: { title: string }) {
  return (
    <Page title={title}>
      <Empty
        isCard
        line="No story has been told for you yet."
        action={<ButtonLink to={ADVERTISE_PATH}>Go to the first steps</ButtonLink>}
      >
        Say who advertises, deposit money, and write a first line: the overview leads the way.
      </Empty>
    </Page>
  );
}
