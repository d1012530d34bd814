import Type, { type Static } from "typebox";
import { InvalidInput } from "../validation/invalid-input.ts";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import { accountRef, memberRole } from "./account.ts";
import { answerText, closed, nameText, nullable, open, optional, timestamp } from "./fields.ts";

/** Characters of a password. The lower bound applies to new ones. */
export const PASSWORD_CHARACTERS = { minimum: 10, maximum: 128 };
const EMAIL_CHARACTERS = 254;
const TOKEN_CHARACTERS = 200;

const email = () =>
  Type.String({
    format: "email",
    minLength: 1,
    maxLength: EMAIL_CHARACTERS,
    description: "The user's e-mail address. Upper and lower case are the same.",
  });

const newPassword = () =>
  Type.String({
    maxLength: PASSWORD_CHARACTERS.maximum,
    description: `A new password of ${PASSWORD_CHARACTERS.minimum} to ${PASSWORD_CHARACTERS.maximum} characters.`,
  });

const presentPassword = () =>
  Type.String({ maxLength: PASSWORD_CHARACTERS.maximum, description: "The user's password." });

/** 422 for a new password that is too short: its length is a limit, not a malformed value. */
function requireLength(field: string, password: string): InvalidInput | undefined {
  const { length } = [...password];
  if (length >= PASSWORD_CHARACTERS.minimum) return undefined;
  const { minimum, maximum } = PASSWORD_CHARACTERS;
  return new InvalidInput(
    422,
    `${field} must be text of ${minimum} to ${maximum} characters, but a text of ${length} was sent`,
  );
}

export const invitationToken = () =>
  Type.String({
    minLength: 1,
    maxLength: TOKEN_CHARACTERS,
    description: "The token of an invitation, inv_…, as its link carries it.",
  });

export const signUpSchema = open(
  {
    name: nameText("How the user is called."),
    email: email(),
    password: newPassword(),
    account_label: optional(
      nameText("What the new account is called; the user's name when left out. Ignored with an invitation."),
    ),
    invitation_token: optional(invitationToken()),
    setup_token: optional(
      Type.String({
        minLength: 1,
        maxLength: TOKEN_CHARACTERS,
        description:
          "What the first user of an installation needs, who runs it, unless GET /auth/sign-up says otherwise.",
      }),
    ),
  },
  "A new user, with a new account or an invitation to one.",
);
export type SignUp = WithoutNulls<Static<typeof signUpSchema>>;
/** The body of POST /auth/sign-up. */
export const signUp = createValidator(signUpSchema, ({ password }) => requireLength("password", password));

export const signUpNeedsSchema = closed(
  {
    needs_invitation: Type.Boolean({ description: "Whether new users need an invitation." }),
    needs_setup_token: Type.Boolean({
      description:
        "Whether nobody runs the installation yet, and whoever signs up from here needs the setup token.",
    }),
  },
  "What a sign-up needs now.",
);
export type SignUpNeedsBody = Static<typeof signUpNeedsSchema>;

export const signInSchema = open(
  { email: email(), password: presentPassword() },
  "A user who signs in on this browser.",
);
export type SignIn = WithoutNulls<Static<typeof signInSchema>>;
/** The body of POST /auth/sign-in. */
export const signIn = createValidator(signInSchema);

export const passwordChangeSchema = open(
  { current_password: presentPassword(), new_password: newPassword() },
  "A new password in place of the current one.",
);
/** The body of POST /auth/change-password. */
export const passwordChange = createValidator(passwordChangeSchema, ({ new_password }) =>
  requireLength("new_password", new_password),
);

export const userPatchSchema = open({ name: nameText("How the user is called.") }, "Changes of the user.");
/** The body of PATCH /user. */
export const userPatch = createValidator(userPatchSchema);

export const sessionPatchSchema = open(
  { account_id: nameText("The account that the session acts for from now on, acct_….") },
  "Changes of the session.",
);
/** The body of PATCH /session. */
export const sessionPatch = createValidator(sessionPatchSchema);

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

export const listedSessionSchema = closed(
  {
    id: answerText("The session's identifier, ses_…."),
    account_label: answerText("The account that the session acts for."),
    created_at: timestamp("When the user signed in."),
    expires_at: timestamp("When the session ends by itself."),
    user_agent: nullable(answerText("What the browser called itself at the sign-in.")),
    client_address: nullable(answerText("The client address of the sign-in.")),
    current: Type.Boolean({ description: "Whether it is the session of this request." }),
  },
  "A session of the user that is in force.",
);
export type ListedSessionBody = Static<typeof listedSessionSchema>;

export const sessionListSchema = Type.Array(listedSessionSchema, {
  description: "The user's sessions that are in force, newest first.",
});
