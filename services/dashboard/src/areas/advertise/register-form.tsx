import { Alert, Button, Group, Stack } from "@mantine/core";
import { useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Form } from "../../kit/form.tsx";
import { CompanyFields } from "./company-fields.tsx";

export function RegisterForm() {
  const { user, account } = useSession();
  const form = useApiForm(
    "POST /register",
    { company_name: account.label, contact_email: user.email },
    { draft: "register" },
  );
  const send = async () => {
    await form.send({});
  };
  return (
    <Form onSend={send}>
      <Stack maw={480}>
        <CompanyFields form={form} />
        {form.failure && <Alert color="negative">{form.failure}</Alert>}
        <Group>
          <Button type="submit" loading={form.isSending}>
            Register company
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
