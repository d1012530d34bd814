import {
  Alert,
  Button,
  Card,
  Group,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useAbility, useSession, useSessionChange } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { useSecretForm } from "../../api/use-secret-form.ts";
import { requiredTextField } from "../../kit/fields.ts";
import { Form } from "../../kit/form.tsx";
import { notifyDone } from "../../kit/notify.ts";
import { Page, Section } from "../../kit/page.tsx";
import { PasswordInput } from "../../kit/password-input.tsx";
import { CompanyForm } from "../advertise/company-form.tsx";
import { checkPassword, PASSWORD_HELP } from "./password.ts";
import { Sessions } from "./sessions.tsx";

/** The account and its company, and the user who is signed in. */
export function Component() {
  const { account, user } = useSession();
  const { canAdminister } = useAbility();
  return (
    <Page title="Account settings" about={`${account.label}, as ${user.email}`}>
      <Forms>
        {canAdminister && <AccountName />}
        <Card component="section" aria-label="Company">
          <CompanyForm />
        </Card>
      </Forms>
      <Section title="You">
        <Forms>
          <YourName />
          <PasswordForm />
        </Forms>
      </Section>
      <Sessions />
    </Page>
  );
}

/** Beside each other where there is room. */
function Forms({ children }: { children: ReactNode }) {
  return <SimpleGrid cols={{ base: 1, md: 2 }}>{children}</SimpleGrid>;
}

function AccountName() {
  const { account } = useSession();
  const changeSession = useSessionChange();
  const form = useApiForm("PATCH /account", { label: account.label });
  const save = async () => {
    const session = await form.send({});
    if (session === undefined) return;
    changeSession(session);
    notifyDone("The account was renamed.");
  };
  return (
    <NameCard
      form={form}
      label="Name of the account"
      description="You and your colleagues share the account."
      field={requiredTextField(form, "label")}
      onSave={save}
      action="Rename account"
    />
  );
}

function YourName() {
  const { user } = useSession();
  const changeSession = useSessionChange();
  const form = useApiForm("PATCH /user", { name: user.name });
  const save = async () => {
    const session = await form.send({});
    if (session === undefined) return;
    changeSession(session);
    notifyDone("Your name was changed.");
  };
  return (
    <NameCard
      form={form}
      label="Your name"
      description="Other members of your accounts see it."
      field={{ ...requiredTextField(form, "name"), autoComplete: "name" }}
      onSave={save}
      action="Change name"
    />
  );
}

interface NameCardProps {
  form: { failure: string | undefined; isSending: boolean; isChanged: boolean };
  label: string;
  description: string;
  field: TextInputProps;
  onSave: () => Promise<void>;
  action: string;
}

function NameCard({ form, label, description, field, onSave, action }: NameCardProps) {
  return (
    <Card component="section" aria-label={label}>
      <Form onSend={onSave}>
        <Stack>
          <TextInput
            label={label}
            description={description}
            maxLength={200}
            {...field}
            error={field.error ?? form.failure}
          />
          <Group>
            <Button type="submit" variant="default" loading={form.isSending} disabled={!form.isChanged}>
              {action}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Card>
  );
}

const NO_PASSWORDS = { current_password: "", new_password: "" };

function PasswordForm() {
  const { user } = useSession();
  const client = useQueryClient();
  const [isUnknown, setUnknown] = useState(false);
  const { values, field, send, reset, failure, isSending } = useSecretForm(
    "POST /auth/change-password",
    NO_PASSWORDS,
    () => setUnknown(true),
  );
  const save = async () => {
    const sent = await send(values, { new_password: checkPassword(values.new_password, user.email) });
    if (sent === undefined) return;
    reset();
    setUnknown(false);
    notifyDone("The password was changed, and your other sessions were ended.");
    await client.invalidateQueries({ queryKey: ["GET /auth/sessions"] });
  };
  return (
    <Card component="section" aria-label="Password">
      <Form onSend={save}>
        <Stack>
          {failure && <Alert color="negative">{failure}</Alert>}
          {isUnknown && (
            <Alert color="warning">
              The password may have been changed although no answer came: then the new one is the current one.
            </Alert>
          )}
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            {...field("current_password")}
          />
          <PasswordInput
            label="New password"
            description={PASSWORD_HELP}
            autoComplete="new-password"
            {...field("new_password")}
          />
          <Group>
            <Button type="submit" variant="default" loading={isSending}>
              Change password
            </Button>
            <Text c="dimmed" fz="xs">
              Ends your sessions in other browsers.
            </Text>
          </Group>
        </Stack>
      </Form>
    </Card>
  );
}
