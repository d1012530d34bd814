import Type, { type Static } from "typebox";
import { accountRef, memberRole } from "../definition/account.ts";
import { malformedField, missingField, notAllowedField } from "../definition/common-errors.ts";
import { exampleIds } from "../definition/example-ids.ts";
import { answerText, closed, nameText, nullable, open, optional, timestamp } from "../definition/fields.ts";
import { defineFeature, refusal } from "../definition/operation.ts";
import { InvalidInput } from "../http-error.ts";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";

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

const invitationToken = () =>
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

export const invitationTokenSchema = open({ token: invitationToken() }, "An invitation, named by its token.");
/** The body of POST /auth/invitation and POST /invitations/accept. */
export const invitationTokenBody = createValidator(invitationTokenSchema);

export const offeredAccountSchema = closed(
  {
    account_label: answerText("What the account is called."),
    role: memberRole("The role that whoever accepts gets."),
    expires_at: timestamp("When the invitation ends by itself."),
  },
  "What an invitation offers.",
);
export type OfferedAccountBody = Static<typeof offeredAccountSchema>;

const account = { id: exampleIds.account, label: "Emberroast Coffee" };
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
const signUpExample = {
  name: "Ada Ember",
  email: "ada@emberroast.example",
  password: "warm since the first fire",
  account_label: "Emberroast Coffee",
};

const forAnyone = { group: "management", scope: [], caller: "anyone", addition: true } as const;
const signedIn = {
  group: "management",
  scope: [],
  caller: "session",
  role: "viewer",
  addition: true,
} as const;
const cookieSet = ["Set-Cookie"] as const;

export const noInvitation = refusal(
  404,
  "no_invitation",
  "There is no open invitation with this token.",
  "The invitation is unknown, withdrawn, used or expired: ask an owner of the account for a new one.",
);

export const invitedOnly = refusal(
  403,
  "invited_only",
  "The installation takes new users by invitation only.",
  "New users join by invitation only: ask an owner of an account for one.",
);
export const wrongSetupToken = refusal(
  403,
  "setup_token",
  "The installation has no operator yet, and the setup token was not sent.",
  "setup_token is wrong or missing: the first user runs this installation, and whoever started the service has the token",
);
export const withoutSetupToken = refusal(
  403,
  "no_setup_token",
  "The installation has no operator yet, the client is on another machine, and the service has no setup token.",
  "setup_token is not set up: the first user runs this installation, so whoever starts the service has to set SETUP_TOKEN first, or sign up on its own machine",
);
export const emailTaken = refusal(
  409,
  "email_taken",
  "The address belongs to a user; upper and lower case are the same.",
  "email belongs to a user already: sign in, or use another address",
);
export const wrongCredentials = refusal(
  401,
  "wrong_password",
  "There is no such user, or the password is another.",
  "E-mail address or password is wrong.",
);
export const wrongPassword = refusal(
  403,
  "wrong_password",
  "The current password is another.",
  "current_password is wrong: send the password that you sign in with",
);
export const notMemberOfAccount = refusal(
  404,
  "no_account",
  "The user is a member of no such account.",
  "account_id names no account that you are a member of: GET /session lists them",
);
export const noSession = refusal(
  404,
  "no_session",
  "The user has no such session in force.",
  "You have no session of this id: GET /auth/sessions lists them.",
);
export const sessionsApi = defineFeature({
  tag: "Sessions",
  description:
    "Signing up, signing in and out on the dashboard. The session is a cookie that only the browser sees; it acts for its account like an API key.",
  schemas: {
    Session: sessionSchema,
    User: userSchema,
    Account: accountSchema,
    Membership: membershipSchema,
    ListedSession: listedSessionSchema,
    SignUp: signUpSchema,
    SignUpNeeds: signUpNeedsSchema,
    SignIn: signInSchema,
    PasswordChange: passwordChangeSchema,
    UserChanges: userPatchSchema,
    SessionChanges: sessionPatchSchema,
    InvitationToken: invitationTokenSchema,
    OfferedAccount: offeredAccountSchema,
  },
  operations: {
    readSignUp: {
      ...forAnyone,
      operationId: "readSignUp",
      method: "GET",
      path: "/auth/sign-up",
      summary: "Read the requirements of a sign-up",
      description:
        "Whether a sign-up from this client needs an invitation, or the setup token of the first user.",
      success: [
        {
          status: 200,
          description: "What it needs.",
          schema: signUpNeedsSchema,
          example: { needs_invitation: false, needs_setup_token: false },
        },
      ],
      refusals: [],
    },
    signUp: {
      ...forAnyone,
      operationId: "signUp",
      method: "POST",
      path: "/auth/sign-up",
      summary: "Sign up",
      description:
        "Makes a user, and an account with the user as its owner; with an invitation the user joins that account instead. Signs the user in.",
      request: { schema: signUpSchema, example: signUpExample },
      success: [
        {
          status: 201,
          description: "The session of the new user.",
          schema: sessionSchema,
          example: sessionExample,
          headers: cookieSet,
        },
      ],
      refusals: [
        missingField("name is required: it must be text of at most 200 characters that is not blank"),
        malformedField(
          "email must be an e-mail address such as name@example.com, but a text of 10 characters was sent",
        ),
        invitedOnly,
        wrongSetupToken,
        withoutSetupToken,
        noInvitation,
        emailTaken,
        notAllowedField("password must be text of 10 to 128 characters, but a text of 5 was sent"),
      ],
    },
    signIn: {
      ...forAnyone,
      operationId: "signIn",
      method: "POST",
      path: "/auth/sign-in",
      summary: "Sign in",
      description:
        "Starts a session of 14 days on this browser. An unknown address is answered like a wrong password.",
      request: {
        schema: signInSchema,
        example: { email: "ada@emberroast.example", password: "warm since the first fire" },
      },
      success: [
        {
          status: 200,
          description: "The session.",
          schema: sessionSchema,
          example: sessionExample,
          headers: cookieSet,
        },
      ],
      refusals: [
        missingField("email is required: it must be an e-mail address such as name@example.com"),
        malformedField(
          "email must be an e-mail address such as name@example.com, but a text of 10 characters was sent",
        ),
        wrongCredentials,
        notAllowedField(
          "password must be text of at most 128 characters, but a text of 200 characters was sent",
        ),
      ],
    },
    signOut: {
      ...forAnyone,
      operationId: "signOut",
      method: "POST",
      path: "/auth/sign-out",
      summary: "Sign out",
      description:
        "Ends the session of this browser at once and everywhere, and clears its cookie. Without a session, too.",
      success: [{ status: 204, description: "There is no session any more.", headers: cookieSet }],
      refusals: [],
    },
    readInvitation: {
      ...forAnyone,
      operationId: "readInvitation",
      method: "POST",
      path: "/auth/invitation",
      summary: "Read an invitation",
      description: "Describes the invitation of a token; the link is the only proof.",
      request: {
        schema: invitationTokenSchema,
        example: { token: "inv_MnBvCxZaSdFgHjKlPoIuYtReWq0987654321" },
      },
      success: [
        {
          status: 200,
          description: "The offer.",
          schema: offeredAccountSchema,
          example: { account_label: account.label, role: "manager", expires_at: "2026-12-08T09:30:00.000Z" },
        },
      ],
      refusals: [
        missingField("token is required: it must be text of at most 200 characters that is not blank"),
        malformedField(
          "token must be text of at most 200 characters that is not blank, but a number was sent",
        ),
        noInvitation,
        notAllowedField(
          "token must be text of at most 200 characters that is not blank, but a text of 240 characters was sent",
        ),
      ],
    },
    show: {
      ...signedIn,
      operationId: "getSession",
      method: "GET",
      path: "/session",
      summary: "Read the session",
      description: "Who is signed in, for which account the session acts, and which others there are.",
      success: [{ status: 200, description: "The session.", schema: sessionSchema, example: sessionExample }],
      refusals: [],
    },
    change: {
      ...signedIn,
      operationId: "updateSession",
      method: "PATCH",
      path: "/session",
      summary: "Switch the account",
      description: "Lets the session act for another account of the user.",
      request: { schema: sessionPatchSchema, example: { account_id: exampleIds.account } },
      success: [{ status: 200, description: "The session.", schema: sessionSchema, example: sessionExample }],
      refusals: [
        missingField("account_id is required: it must be text of at most 200 characters that is not blank"),
        malformedField("account_id must be text of at most 200 characters that is not blank, but 7 was sent"),
        notMemberOfAccount,
        notAllowedField(
          "account_id must be text of at most 200 characters that is not blank, but a text of 240 characters was sent",
        ),
      ],
    },
    changeUser: {
      ...signedIn,
      operationId: "updateUser",
      method: "PATCH",
      path: "/user",
      summary: "Change the user",
      description: "Changes how the signed-in user is called.",
      request: { schema: userPatchSchema, example: { name: "Ada Ember" } },
      success: [{ status: 200, description: "The session.", schema: sessionSchema, example: sessionExample }],
      refusals: [
        missingField("name is required: it must be text of at most 200 characters that is not blank"),
        malformedField("name must be text of at most 200 characters that is not blank, but 7 was sent"),
        notAllowedField(
          "name must be text of at most 200 characters that is not blank, but a text of 240 characters was sent",
        ),
      ],
    },
    changePassword: {
      ...signedIn,
      operationId: "changePassword",
      method: "POST",
      path: "/auth/change-password",
      summary: "Change the password",
      description: "Ends all sessions of the user, and starts a new one on this browser.",
      request: {
        schema: passwordChangeSchema,
        example: { current_password: "warm since the first fire", new_password: "a lantern in the keep" },
      },
      success: [{ status: 204, description: "The password is changed.", headers: cookieSet }],
      refusals: [
        missingField("current_password is required: it must be text of at most 128 characters"),
        malformedField("new_password must be text of at most 128 characters, but a number was sent"),
        wrongPassword,
        notAllowedField("new_password must be text of 10 to 128 characters, but a text of 5 was sent"),
      ],
    },
    list: {
      ...signedIn,
      operationId: "listSessions",
      method: "GET",
      path: "/auth/sessions",
      summary: "List the user's sessions",
      description: "Every browser on which the user is signed in, newest first; at most 100.",
      success: [
        {
          status: 200,
          description: "The sessions.",
          schema: sessionListSchema,
          example: [
            {
              id: exampleIds.session,
              account_label: account.label,
              created_at: exampleIds.moment,
              expires_at: sessionExample.expires_at,
              user_agent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
              client_address: "192.0.2.17",
              current: true,
            },
          ],
        },
      ],
      refusals: [],
    },
    end: {
      ...signedIn,
      operationId: "endSession",
      method: "DELETE",
      path: "/auth/sessions/{session_id}",
      summary: "End a session",
      description: "Ends one session of the user; its next request is refused everywhere.",
      success: [{ status: 204, description: "The session has ended." }],
      refusals: [noSession],
    },
    endOthers: {
      ...signedIn,
      operationId: "endOtherSessions",
      method: "POST",
      path: "/auth/end-other-sessions",
      summary: "End all other sessions",
      description: "Ends every session of the user but this one.",
      success: [{ status: 204, description: "The other sessions have ended." }],
      refusals: [],
    },
  },
});
