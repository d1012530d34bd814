/** Fields, examples and settings that several operations of sessions share. */
import type { Static } from "typebox";
import { accountRef, memberRole } from "../../definition/account.ts";
import { exampleIds } from "../../definition/example-ids.ts";
import { answerText, closed, MAX_EMAIL_CHARACTERS, timestamp } from "../../definition/fields.ts";
import Type from "../../definition/type.ts";
import { InvalidInput } from "../../http-error.ts";
import { PASSWORD_CHARACTERS } from "../../password.ts";

export const MAX_TOKEN_CHARACTERS = 200;

export const email = () =>
  Type.String({
    format: "email",
    minLength: 1,
    maxLength: MAX_EMAIL_CHARACTERS,
    description: "The user's e-mail address. Upper and lower case are the same.",
  });

export const newPassword = () =>
  Type.String({
    maxLength: PASSWORD_CHARACTERS.maximum,
    description: `A new password of ${PASSWORD_CHARACTERS.minimum} to ${PASSWORD_CHARACTERS.maximum} characters.`,
  });

export const currentPassword = () =>
  Type.String({ maxLength: PASSWORD_CHARACTERS.maximum, description: "The user's password." });

/** Throws 422 for a new password that is too short: its length is a limit, not a malformed value. */
export function requireLength(field: string, password: string): void {
  const { length } = [...password];
  const { minimum, maximum } = PASSWORD_CHARACTERS;
  if (length >= minimum) return;
  throw new InvalidInput(
    422,
    `${field} must be text of ${minimum} to ${maximum} characters, but a text of ${length} was sent`,
  );
}

export const invitationToken = () =>
  Type.String({
    minLength: 1,
    maxLength: MAX_TOKEN_CHARACTERS,
    description: "The token of an invitation, inv_…, as its link carries it.",
  });

export const userSchema = closed(
  {
    id: answerText("The user's identifier, usr_…."),
    name: answerText("How the user is called."),
    email: answerText("The user's e-mail address, in lower case."),
    is_operator: Type.Boolean({
      description: "Whether the user runs this installation. The first user who signs up does.",
    }),
    is_demo: Type.Boolean({ description: "Whether it is the login of the demo account." }),
  },
  "A person who signs in.",
);

export const membershipSchema = closed(
  { ...accountRef, role: memberRole("The user's role in the account.") },
  "An account that a user is a member of.",
);

export const accountSchema = closed(accountRef, "An account.");

export const sessionSchema = closed(
  {
    session_id: answerText("The session's identifier, ses_…; it is not the secret in the cookie."),
    expires_at: timestamp("When the session ends by itself."),
    user: userSchema,
    account: accountSchema,
    role: memberRole("The user's role in the account that the session acts for."),
    accounts: Type.Array(membershipSchema, {
      description: "All accounts that the user is a member of, in the order of joining.",
    }),
  },
  "A signed-in user, and the account that the session acts for.",
);
export type SessionBody = Static<typeof sessionSchema>;

export const account = { id: exampleIds.account, label: "Emberroast Coffee" };
export const sessionExample = {
  session_id: exampleIds.session,
  expires_at: "2026-12-15T09:30:00.000Z",
  user: {
    id: exampleIds.user,
    name: "Ada Ember",
    email: "ada@emberroast.example",
    is_operator: false,
    is_demo: false,
  },
  account,
  role: "owner",
  accounts: [{ ...account, role: "owner" }],
};

export const forAnyone = { group: "management", scope: [], callers: "anyone", addition: true } as const;
export const signedIn = {
  group: "management",
  scope: [],
  callers: "session",
  role: "viewer",
  addition: true,
} as const;
export const cookieSet = ["Set-Cookie"] as const;
