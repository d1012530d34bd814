import { TextInput } from "@mantine/core";
import type { BodyOf } from "../../api/operations.ts";
import type { ApiForm } from "../../api/use-api-form.ts";
import { requiredTextField, textField } from "../../kit/fields.ts";

/** What the fields of an advertiser's profile are called. */
export const COMPANY_LABELS = {
  company_name: "Company",
  contact_email: "Contact e-mail",
  website: "Website",
} as const satisfies Partial<Record<keyof BodyOf<"PATCH /profile">, string>>;

type CompanyForm = ApiForm<"POST /register"> | ApiForm<"PATCH /profile">;

/** The company that advertises, new or changed. */
export function CompanyFields({ form: anyForm }: { form: CompanyForm }) {
  // The two bodies have the same fields; a registration only needs more of them.
  const form = anyForm as ApiForm<"POST /register">;
  const completeWebsite = () => {
    const { website } = form.values;
    if (website && !website.includes("://")) form.set("website", `https://${website.trim()}`);
  };
  return (
    <>
      <TextInput
        label={COMPANY_LABELS.company_name}
        description="Developers see it when they decide which advertisers their games show."
        {...requiredTextField(form, "company_name")}
      />
      <TextInput
        label={COMPANY_LABELS.contact_email}
        type="email"
        {...requiredTextField(form, "contact_email")}
      />
      <TextInput
        label={`${COMPANY_LABELS.website} (optional)`}
        placeholder="https://"
        {...textField(form, "website")}
        onBlur={completeWebsite}
      />
    </>
  );
}
