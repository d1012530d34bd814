import { Alert, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError, fieldNamedIn } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useRead } from "../../api/queries.ts";
import { useSessionChange } from "../../api/session.ts";
import { checkPassword, PASSWORD_HELP } from "./password.ts";

const FIELDS = ["name", "email", "password", "account_label", "setup_token"] as const;
type Field = (typeof FIELDS)[number];

interface SignUpFormProps {
  /** Joins the account of an invitation, instead of making a new one. */
  invitationToken?: string;
  onDone?: () => void;
}

/** Creates a user; also an account, unless an invitation names one. */
export function SignUpForm({ invitationToken, onDone }: SignUpFormProps) {
  const changeSession = useSessionChange();
  const needs = useRead("GET /auth/sign-up").data;
  const [values, setValues] = useState({
    name: "",
    email: "",
    password: "",
    account_label: "",
    setup_token: "",
  });
  const [problems, setProblems] = useState<Partial<Record<Field, string>>>({});
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const props = (field: Field) => ({
    value: values[field],
    error: problems[field],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      const { value } = currentTarget;
      setValues((former) => ({ ...former, [field]: value }));
      setProblems(({ [field]: _gone, ...others }) => others);
    },
  });
  const signUp = async (event: FormEvent) => {
    event.preventDefault();
    setFailure(undefined);
    const problem = checkPassword(values.password);
    if (problem !== undefined) {
      setProblems({ password: problem });
      return;
    }
    setSending(true);
    const { account_label, setup_token, ...user } = values;
    try {
      const session = await call("POST /auth/sign-up", {
        body: {
          ...user,
          ...(account_label.trim() !== "" && { account_label }),
          ...(invitationToken !== undefined && { invitation_token: invitationToken }),
          ...(setup_token !== "" && { setup_token }),
        },
      });
      onDone?.();
      changeSession(session);
    } catch (error) {
      const detail = error instanceof ApiError ? error.detail : String(error);
      const field = fieldNamedIn(detail, FIELDS) as Field | undefined;
      if (field === undefined) setFailure(detail);
      else setProblems({ [field]: detail });
      setSending(false);
    }
  };
  if (needs?.needs_invitation && invitationToken === undefined) {
    return (
      <Alert color="info">New users join by invitation only. Ask an owner of an account for a link.</Alert>
    );
  }
  return (
    <form onSubmit={(event) => void signUp(event)}>
      <Stack>
        {failure && (
          <Alert color="negative" role="alert">
            {failure}
          </Alert>
        )}
        <TextInput
          label="Your name"
          autoComplete="name"
          required
          withAsterisk={false}
          maxLength={200}
          {...props("name")}
        />
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          {...props("email")}
        />
        <PasswordInput
          label="Password"
          description={PASSWORD_HELP}
          autoComplete="new-password"
          required
          withAsterisk={false}
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
            required
            withAsterisk={false}
            {...props("setup_token")}
          />
        )}
        <Button type="submit" loading={isSending} fullWidth>
          {invitationToken === undefined ? "Create account" : "Create user and join"}
        </Button>
      </Stack>
    </form>
  );
}
