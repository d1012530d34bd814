/** What signed-in users read and change of themselves: session, name, password, browsers. */
import type { Static } from "typebox";
import {
  malformedField,
  missingField,
  notAllowedField,
  requiredName,
} from "../../definition/common-errors.ts";
import { exampleIds } from "../../definition/example-ids.ts";
import { answerText, closed, nameText, nullable, open, timestamp } from "../../definition/fields.ts";
import { defineOperations, noContent, ok, operation, refusal } from "../../definition/operation.ts";
import Type from "../../definition/type.ts";
import { validatorWithoutNulls } from "../../validation/validator.ts";
import {
  account,
  cookieSet,
  currentPassword,
  newPassword,
  requireLength,
  sessionExample,
  sessionSchema,
  signedIn,
} from "./shared.ts";
import { signInOvertaken } from "./sign-in.ts";

export const passwordChangeSchema = open(
  { current_password: currentPassword(), new_password: newPassword() },
  "A new password in place of the current one.",
);
/** The body of POST /auth/change-password. */
export const passwordChange = validatorWithoutNulls(passwordChangeSchema, ({ new_password }) =>
  requireLength("new_password", new_password),
);

export const userPatchSchema = open({ name: nameText("How the user is called.") }, "Changes of the user.");
/** The body of PATCH /user. */
export const userPatch = validatorWithoutNulls(userPatchSchema);

export const sessionPatchSchema = open(
  { account_id: nameText("The account that the session acts for from now on, acct_….") },
  "Changes of the session.",
);
/** The body of PATCH /session. */
export const sessionPatch = validatorWithoutNulls(sessionPatchSchema);

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

const sessionListSchema = Type.Array(listedSessionSchema, {
  description: "The user's sessions that are in force, newest first.",
});

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

export const ownSessionOperations = defineOperations({
  show: operation("GET /session", {
    ...signedIn,
    operationId: "getSession",
    summary: "Read the session",
    description: "Who is signed in, for which account the session acts, and which others there are.",
    success: [ok("The session.", sessionSchema, sessionExample)],
    refusals: [],
  }),
  change: operation("PATCH /session", {
    ...signedIn,
    operationId: "updateSession",
    summary: "Switch the account",
    description: "Lets the session act for another account of the user.",
    request: { schema: sessionPatchSchema, example: { account_id: exampleIds.account } },
    success: [ok("The session.", sessionSchema, sessionExample)],
    refusals: [...requiredName("account_id"), notMemberOfAccount],
  }),
  changeUser: operation("PATCH /user", {
    ...signedIn,
    operationId: "updateUser",
    summary: "Change the user",
    description: "Changes how the signed-in user is called.",
    request: { schema: userPatchSchema, example: { name: "Ada Ember" } },
    success: [ok("The session.", sessionSchema, sessionExample)],
    refusals: requiredName("name"),
  }),
  changePassword: operation("POST /auth/change-password", {
    ...signedIn,
    operationId: "changePassword",
    summary: "Change the password",
    description: "Ends all sessions of the user, and starts a new one on this browser.",
    request: {
      schema: passwordChangeSchema,
      example: { current_password: "warm since the first fire", new_password: "a lantern in the keep" },
    },
    success: [noContent("The password is changed.", { headers: cookieSet })],
    refusals: [
      missingField("current_password is required: it must be text of at most 128 characters"),
      malformedField("new_password must be text of at most 128 characters, but a number was sent"),
      signInOvertaken,
      wrongPassword,
      notAllowedField("new_password must be text of 10 to 128 characters, but a text of 5 was sent"),
    ],
  }),
  list: operation("GET /auth/sessions", {
    ...signedIn,
    operationId: "listSessions",
    summary: "List the user's sessions",
    description: "Every browser on which the user is signed in, newest first; at most 100.",
    success: [
      ok("The sessions.", sessionListSchema, [
        {
          id: exampleIds.session,
          account_label: account.label,
          created_at: exampleIds.moment,
          expires_at: sessionExample.expires_at,
          user_agent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
          client_address: "192.0.2.17",
          current: true,
        },
      ]),
    ],
    refusals: [],
  }),
  end: operation("DELETE /auth/sessions/{session_id}", {
    ...signedIn,
    operationId: "endSession",
    summary: "End a session",
    description: "Ends one session of the user; its next request is refused everywhere.",
    success: [noContent("The session has ended.")],
    refusals: [noSession],
  }),
  endOthers: operation("POST /auth/end-other-sessions", {
    ...signedIn,
    operationId: "endOtherSessions",
    summary: "End all other sessions",
    description: "Ends every session of the user but this one.",
    success: [noContent("The other sessions have ended.")],
    refusals: [],
  }),
});
