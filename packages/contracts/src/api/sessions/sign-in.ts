/** Signing up, signing in and out, and reading an invitation: without a session. */
import type { Static } from "typebox";
import { memberRole } from "../../definition/account.ts";
import {
  malformedEmail,
  missingField,
  missingName,
  notAllowedField,
  requiredName,
} from "../../definition/common-errors.ts";
import { answerText, closed, nameText, open, optional, timestamp } from "../../definition/fields.ts";
import { created, defineOperations, noContent, ok, operation, refusal } from "../../definition/operation.ts";
import Type from "../../definition/type.ts";
import { validatorWithoutNulls } from "../../validation/validator.ts";
import {
  account,
  cookieSet,
  currentPassword,
  email,
  forAnyone,
  invitationToken,
  MAX_TOKEN_CHARACTERS,
  newPassword,
  requireLength,
  sessionExample,
  sessionSchema,
} from "./shared.ts";

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
        maxLength: MAX_TOKEN_CHARACTERS,
        description:
          "What the first user of an installation needs, who runs it, unless GET /auth/sign-up says otherwise.",
      }),
    ),
  },
  "A new user, with a new account or an invitation to one.",
);
/** The body of POST /auth/sign-up. */
export const signUp = validatorWithoutNulls(signUpSchema, ({ password }) =>
  requireLength("password", password),
);

export const signUpNeedsSchema = closed(
  {
    needs_invitation: Type.Boolean({ description: "Whether new users need an invitation." }),
    needs_setup_token: Type.Boolean({
      description: "Whether there is no operator yet, and a sign-up from here needs the setup token.",
    }),
  },
  "What a sign-up needs now.",
);
export type SignUpNeedsBody = Static<typeof signUpNeedsSchema>;

export const signInSchema = open(
  { email: email(), password: currentPassword() },
  "A user who signs in on this browser.",
);
/** The body of POST /auth/sign-in. */
export const signIn = validatorWithoutNulls(signInSchema);

export const invitationTokenSchema = open({ token: invitationToken() }, "An invitation, named by its token.");
/** The body of POST /auth/invitation and POST /invitations/accept. */
export const invitationTokenBody = validatorWithoutNulls(invitationTokenSchema);

export const offeredAccountSchema = closed(
  {
    account_label: answerText("What the account is called."),
    role: memberRole("The role of the person who accepts."),
    expires_at: timestamp("When the invitation ends by itself."),
  },
  "What an invitation offers.",
);
export type OfferedAccountBody = Static<typeof offeredAccountSchema>;

/** Maximum members per account, open invitations included. */
export const MAX_MEMBERS = 200;

const signUpExample = {
  name: "Ada Ember",
  email: "ada@emberroast.example",
  password: "warm since the first fire",
  account_label: "Emberroast Coffee",
};

export const noInvitation = refusal(
  404,
  "no_invitation",
  "There is no open invitation with this token.",
  "The invitation is unknown, withdrawn, used or expired: ask an owner of the account for a new one.",
);
export const tooManyMembers = refusal(
  422,
  "too_many_members",
  `The account has ${MAX_MEMBERS} members and open invitations.`,
  `An account has at most ${MAX_MEMBERS} members, open invitations included: an owner has to remove a member or withdraw an invitation first.`,
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

export const signInOvertaken = refusal(
  401,
  "overtaken",
  "The password was changed, or the new session ended, before the answer.",
  "The password was changed or the session ended during this request: sign in again.",
);
export const unusableEmail = refusal(
  400,
  "unusable_email",
  "The address is well-formed, but not one that can sign in, such as a!b@example.com.",
  "email must have only unaccented letters, digits and _'+-. before its @, and only letters, at least two, after its last dot, such as name@example.com, but another text was sent",
);

export const signInOperations = defineOperations({
  readSignUp: operation("GET /auth/sign-up", {
    ...forAnyone,
    operationId: "readSignUp",
    summary: "Read the requirements of a sign-up",
    description:
      "Whether a sign-up from this client needs an invitation, or the setup token of the first user.",
    success: [ok("What it needs.", signUpNeedsSchema, { needs_invitation: false, needs_setup_token: false })],
    refusals: [],
  }),
  signUp: operation("POST /auth/sign-up", {
    ...forAnyone,
    operationId: "signUp",
    summary: "Sign up",
    description:
      "Makes a user, and an account with the user as its owner; with an invitation the user joins that account instead. Signs the user in.",
    request: { schema: signUpSchema, example: signUpExample },
    success: [created("The session of the new user.", sessionSchema, sessionExample, { headers: cookieSet })],
    refusals: [
      missingName("name"),
      malformedEmail("email"),
      unusableEmail,
      invitedOnly,
      wrongSetupToken,
      withoutSetupToken,
      noInvitation,
      signInOvertaken,
      emailTaken,
      tooManyMembers,
      notAllowedField("password must be text of 10 to 128 characters, but a text of 5 was sent"),
    ],
  }),
  signIn: operation("POST /auth/sign-in", {
    ...forAnyone,
    operationId: "signIn",
    summary: "Sign in",
    description:
      "Starts a session of 14 days on this browser, and ends the one that it had. An unknown address is answered like a wrong password.",
    request: {
      schema: signInSchema,
      example: { email: "ada@emberroast.example", password: "warm since the first fire" },
    },
    success: [ok("The session.", sessionSchema, sessionExample, { headers: cookieSet })],
    refusals: [
      missingField("email is required: it must be an e-mail address such as name@example.com"),
      malformedEmail("email"),
      unusableEmail,
      wrongCredentials,
      signInOvertaken,
      notAllowedField(
        "password must be text of at most 128 characters, but a text of 200 characters was sent",
      ),
    ],
  }),
  signOut: operation("POST /auth/sign-out", {
    ...forAnyone,
    operationId: "signOut",
    summary: "Sign out",
    description:
      "Ends the session of this browser at once and everywhere, and clears its cookie. Without a session, too.",
    success: [noContent("There is no session any more.", { headers: cookieSet })],
    refusals: [],
  }),
  readInvitation: operation("POST /auth/invitation", {
    ...forAnyone,
    operationId: "readInvitation",
    summary: "Read an invitation",
    description: "Describes the invitation of a token; the link is the only proof.",
    request: {
      schema: invitationTokenSchema,
      example: { token: "inv_MnBvCxZaSdFgHjKlPoIuYtReWq0987654321" },
    },
    success: [
      ok("The offer.", offeredAccountSchema, {
        account_label: account.label,
        role: "manager",
        expires_at: "2026-12-08T09:30:00.000Z",
      }),
    ],
    refusals: [...requiredName("token", "a number"), noInvitation],
  }),
});
