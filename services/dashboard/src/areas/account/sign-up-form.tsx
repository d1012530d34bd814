import { Alert, Button, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { isUnanswered } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useRead } from "../../api/queries.ts";
import { useSessionChange } from "../../api/session.ts";
import { useFieldProblems } from "../../api/use-field-problems.ts";
import { Form } from "../../kit/form.tsx";
import { notifyDone } from "../../kit/notify.ts";
import { PasswordInput } from "../../kit/password-input.tsx";
import { Failed } from "../../kit/states.tsx";
import { checkPassword, PASSWORD_HELP } from "./password.ts";

const NOTHING = { name: "", email: "", password: "", account_label: "", setup_token: "" };
type Field = keyof typeof NOTHING;

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
  const [values, setValues] = useState(NOTHING);
  const { problem, failure, clear, check, showRefusal } = useFieldProblems("POST /auth/sign-up");
  const [isSending, setSending] = useState(false);
  /** Of a sign-up without an answer. */
  const [sentEmail, setSentEmail] = useState<string>();
  const props = (field: Field) => ({
    value: values[field],
    error: problem(field),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      const { value } = currentTarget;
      setValues((former) => ({ ...former, [field]: value }));
      clear(field);
    },
  });
  const signUp = async () => {
    const { account_label, setup_token, ...user } = values;
    const body = {
      ...user,
      ...(account_label.trim() !== "" && { account_label }),
      ...(invitationToken !== undefined && { invitation_token: invitationToken }),
      ...(setup_token !== "" && { setup_token }),
    };
    if (!check(body, { password: checkPassword(values.password, values.email) })) return;
    setSending(true);
    try {
      const session = await call("POST /auth/sign-up", { body });
      onDone?.();
      changeSession(session);
      if (session.user.is_operator) {
        notifyDone("You are the first here, and run this installation. The page System shows its state.");
      }
    } catch (error) {
      showRefusal(error);
      if (isUnanswered(error)) setSentEmail(values.email);
      setSending(false);
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
        {failure && (
          <Alert color="negative" role="alert">
            {failure}
          </Alert>
        )}
        {sentEmail !== undefined && (
          <Alert color="warning">
            No answer came, so it is not known whether your account was created. If the next try says that{" "}
            {sentEmail} belongs to a user already, it was: sign in with the password that you chose.
          </Alert>
        )}
        <TextInput label="Your name" autoComplete="name" maxLength={200} {...props("name")} />
        <TextInput label="E-mail" type="email" autoComplete="username" {...props("email")} />
        <PasswordInput
          label="Password"
          description={PASSWORD_HELP}
          autoComplete="new-password"
          {...props("password")}
        />
        {invitationToken === undefined && (
          <TextInput
            label="Company or studio (optional)"
            description="Names the account that you and your colleagues share."
            autoComplete="organization"
            maxLength={200}
            {...props("account_label")}
          />
        )}
        {needs?.needs_setup_token && (
          <PasswordInput
            label="Setup token"
            description="You are the first here, and will run this installation. Whoever started the service has the token."
            autoComplete="off"
            {...props("setup_token")}
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
