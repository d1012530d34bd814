import { Alert, Skeleton, Stack, Text } from "@mantine/core";
import { hasStatus } from "../../api/api-error.ts";
import type { AnswerOf } from "../../api/operations.ts";
import { useRead, useReadNow } from "../../api/queries.ts";
import { useAbility } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { ButtonLink } from "../../kit/button-link.tsx";
import { Form } from "../../kit/form.tsx";
import { notifyDone } from "../../kit/notify.ts";
import { SaveButtons } from "../../kit/save-buttons.tsx";
import { Failed } from "../../kit/states.tsx";
import { UnsavedNotice } from "../../kit/unsaved-notice.tsx";
import { ADVERTISE_PATH } from "./advertise-path.ts";
import { COMPANY_LABELS, CompanyFields } from "./company-fields.tsx";

type Profile = AnswerOf<"GET /profile">;

function companyOf({ company_name, contact_email, website }: Profile) {
  return { company_name, contact_email, website };
}

/** The company that the account advertises for, if it does. */
export function CompanyForm() {
  const { canChange } = useAbility();
  const profile = useRead("GET /profile");
  if (profile.data !== undefined) return <ProfileForm key={profile.data.id} profile={profile.data} />;
  if (!profile.isError) return <Skeleton height={260} />;
  if (!hasStatus(profile.error, 404)) {
    return <Failed what="The company could not be loaded." read={profile} />;
  }
  return (
    <Stack align="flex-start">
      <Text c="dimmed">This account does not advertise yet. The first step is to name its company.</Text>
      {canChange && (
        <ButtonLink to={ADVERTISE_PATH} variant="default">
          Advertise in games
        </ButtonLink>
      )}
    </Stack>
  );
}

function ProfileForm({ profile }: { profile: Profile }) {
  const { canChange } = useAbility();
  const readNow = useReadNow("GET /profile");
  const form = useApiForm("PATCH /profile", companyOf(profile), {
    draft: "company",
    readStored: async () => companyOf(await readNow()),
  });
  const save = async () => {
    const changed = await form.send({}, companyOf);
    if (changed !== undefined) notifyDone("The company was changed.");
  };
  return (
    <Form onSend={save} isReadOnly={!canChange}>
      {canChange && <UnsavedNotice form={form} labels={COMPANY_LABELS} />}
      <Stack>
        <CompanyFields form={form} />
        {form.failure && <Alert color="negative">{form.failure}</Alert>}
        {canChange && <SaveButtons form={form} action="Save company" isSecondary />}
      </Stack>
    </Form>
  );
}
