import { defineFeature } from "../definition/operation.ts";
import {
  listedSessionSchema,
  ownSessionOperations,
  passwordChangeSchema,
  sessionPatchSchema,
  userPatchSchema,
} from "./sessions/own-session.ts";
import { accountSchema, membershipSchema, sessionSchema, userSchema } from "./sessions/shared.ts";
import {
  invitationTokenSchema,
  offeredAccountSchema,
  signInOperations,
  signInSchema,
  signUpNeedsSchema,
  signUpSchema,
} from "./sessions/sign-in.ts";

export { PASSWORD_CHARACTERS } from "../password.ts";
export * from "./sessions/own-session.ts";
export type { SessionBody } from "./sessions/shared.ts";
export * from "./sessions/sign-in.ts";

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
  operations: { ...signInOperations, ...ownSessionOperations },
});
