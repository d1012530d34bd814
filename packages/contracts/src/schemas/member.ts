import Type, { type Static } from "typebox";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import { memberRole } from "./account.ts";
import { answerText, closed, nameText, nullable, open, optional, timestamp } from "./fields.ts";
import { invitationToken } from "./session.ts";

export const accountPatchSchema = open(
  { label: nameText("What the account is called.") },
  "Changes of the account.",
);
/** The body of PATCH /account. */
export const accountPatch = createValidator(accountPatchSchema);

export const memberPatchSchema = open({ role: memberRole("The member's new role.") }, "Changes of a member.");
/** The body of PATCH /members/{user_id}. */
export const memberPatch = createValidator(memberPatchSchema);

export const memberSchema = closed(
  {
    user_id: answerText("The user's identifier, usr_…."),
    name: answerText("How the user is called."),
    email: answerText("The user's e-mail address."),
    role: memberRole("The user's role in the account."),
    joined_at: timestamp("When the user became a member."),
  },
  "A member of the account.",
);
export type MemberBody = Static<typeof memberSchema>;

export const memberListSchema = Type.Array(memberSchema, {
  description: "The members of the account, in the order of joining.",
});

export const invitationCreateSchema = open(
  {
    role: memberRole("The role that whoever accepts gets."),
    note: optional(nameText("Whom the invitation is meant for, in the owner's own words.")),
  },
  "An invitation to join the account.",
);
export type InvitationCreate = WithoutNulls<Static<typeof invitationCreateSchema>>;
/** The body of POST /invitations. */
export const invitationCreate = createValidator(invitationCreateSchema);

export const invitationTokenSchema = open({ token: invitationToken() }, "An invitation, named by its token.");
/** The body of POST /auth/invitation and POST /invitations/accept. */
export const invitationTokenBody = createValidator(invitationTokenSchema);

const invitationFields = {
  id: answerText("The invitation's identifier, inv_…; it is not the token."),
  role: memberRole("The role that whoever accepts gets."),
  note: nullable(answerText("Whom the invitation is meant for.")),
  created_at: timestamp("When the invitation was made."),
  expires_at: timestamp("When the invitation ends by itself."),
};

export const invitationSchema = closed(invitationFields, "An open invitation, without its token.");
export type InvitationBody = Static<typeof invitationSchema>;

export const createdInvitationSchema = closed(
  {
    ...invitationFields,
    token: answerText("The token itself: only its SHA-256 is stored, so that this answer alone shows it."),
    link_path: answerText(
      "The path and fragment of the page that accepts it, to be put behind the address of the dashboard. The service sends no e-mail: hand the link over yourself.",
    ),
  },
  "A new invitation, with its token.",
);
export type CreatedInvitationBody = Static<typeof createdInvitationSchema>;

export const invitationListSchema = Type.Array(invitationSchema, {
  description: "The account's open invitations, in the order of their creation.",
});

export const offeredAccountSchema = closed(
  {
    account_label: answerText("What the account is called."),
    role: memberRole("The role that whoever accepts gets."),
    expires_at: timestamp("When the invitation ends by itself."),
  },
  "What an invitation offers.",
);
export type OfferedAccountBody = Static<typeof offeredAccountSchema>;
