import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { textField } from "../../kit/fields.ts";

/** Names the company that advertises. */
export function RegisterForm() {
  const { user, account } = useSession();
  const form = useApiForm(
    "POST /register",
    { company_name: account.label, contact_email: user.email },
    { draft: "register" },
  );
  const completeWebsite = () => {
    const { website } = form.values;
    if (website && !website.includes("://")) form.set("website", `https://${website.trim()}`);
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    await form.send({});
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate>
      <Stack maw={480}>
        <TextInput
          label="Company"
          description="Developers see it when they decide which advertisers their games show."
          {...textField(form, "company_name")}
        />
        <TextInput label="Contact e-mail" type="email" {...textField(form, "contact_email")} />
        <TextInput
          label="Website (optional)"
          placeholder="https://"
          {...textField(form, "website")}
          onBlur={completeWebsite}
        />
        {form.failure && <Alert color="negative">{form.failure}</Alert>}
        <Group>
          <Button type="submit" loading={form.isSending}>
            Register company
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
