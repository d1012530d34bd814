import { Alert, Button, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useRead } from "../../api/queries.ts";
import { useSessionChange } from "../../api/session.ts";
import { useSecretForm } from "../../api/use-secret-form.ts";
import { Form } from "../../kit/form.tsx";
import { notifyDone } from "../../kit/notify.ts";
import { PasswordInput } from "../../kit/password-input.tsx";
import { Failed } from "../../kit/states.tsx";
import { checkPassword, PASSWORD_HELP } from "./password.ts";

const NOTHING = { name: "", email: "", password: "", account_label: "", setup_token: "" };

interface SignUpFormProps {
  /** Joins the account of an invitation, instead of making a new one. */
  invitationToken?: string;
  onDone?: () => void;
  /** More questions, above the button. */
  children?: ReactNode;
}

/** Creates a user; also an account, unless an invitation names one. */
export function SignUpForm({ invitationToken, onDone, children }: SignUpFormProps) {
  const changeSession = useSessionChange();
  const signUpRead = useRead("GET /auth/sign-up");
  const needs = signUpRead.data;
  const [unansweredEmail, setUnansweredEmail] = useState<string>();
  const { values, field, send, failure, isSending } = useSecretForm(
    "POST /auth/sign-up",
    NOTHING,
    ({ email }) => setUnansweredEmail(email),
  );
  const signUp = async () => {
    const { account_label, setup_token, ...user } = values;
    const body = {
      ...user,
      ...(account_label.trim() !== "" && { account_label }),
      ...(invitationToken !== undefined && { invitation_token: invitationToken }),
      ...(setup_token !== "" && { setup_token }),
    };
    const sent = await send(body, { password: checkPassword(values.password, values.email) });
    if (sent === undefined) return;
    onDone?.();
    changeSession(sent.answer);
    if (sent.answer.user.is_operator) {
      notifyDone("You are the first here, and run this installation. The page System shows its state.");
    }
  };
  if (needs?.needs_invitation && invitationToken === undefined) {
    return (
      <Alert role="note" color="info">
        New users join by invitation only. Ask an owner of an account for a link.
      </Alert>
    );
  }
  // Who has an invitation needs neither another one nor the token.
  if (needs === undefined && signUpRead.isError && invitationToken === undefined) {
    return <Failed what="It could not be read who may create an account." read={signUpRead} />;
  }
  return (
    <Form onSend={signUp}>
      <Stack>
        {failure && <Alert color="negative">{failure}</Alert>}
        {unansweredEmail !== undefined && (
          <Alert color="warning">
            No answer came, so it is not known whether your account was created. If the next try says that{" "}
            {unansweredEmail} belongs to a user already, it was: sign in with the password that you chose.
          </Alert>
        )}
        <TextInput label="Your name" autoComplete="name" maxLength={200} {...field("name")} />
        <TextInput label="E-mail" type="email" autoComplete="username" {...field("email")} />
        <PasswordInput
          label="Password"
          description={PASSWORD_HELP}
          autoComplete="new-password"
          {...field("password")}
        />
        {invitationToken === undefined && (
          <TextInput
            label="Company or studio (optional)"
            description="Names the account that you and your colleagues share."
            autoComplete="organization"
            maxLength={200}
            {...field("account_label")}
          />
        )}
        {needs?.needs_setup_token && (
          <PasswordInput
            label="Setup token"
            description="You are the first here, and will run this installation. Whoever started the service has the token."
            autoComplete="off"
            {...field("setup_token")}
          />
        )}
        {children}
        <Button type="submit" loading={isSending} fullWidth>
          {invitationToken === undefined ? "Create account" : "Create account and join"}
        </Button>
      </Stack>
    </Form>
  );
}
