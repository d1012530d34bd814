import { Alert, Button, Group, Stack } from "@mantine/core";
import type { FormEvent } from "react";
import { useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { CompanyFields } from "./company-fields.tsx";

/** Names the company that advertises. */
export function RegisterForm() {
  const { user, account } = useSession();
  const form = useApiForm(
    "POST /register",
    { company_name: account.label, contact_email: user.email },
    { draft: "register" },
  );
  const send = async (event: FormEvent) => {
    event.preventDefault();
    await form.send({});
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate>
      <Stack maw={480}>
        <CompanyFields form={form} />
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
