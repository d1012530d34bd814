import type { Static } from "typebox";
import { memberRole } from "../definition/account.ts";
import {
  belongsToAnother,
  malformedName,
  missingField,
  notAllowedField,
  notShownAgain,
  requiredName,
  responseOnlyField,
  roleTooLow,
  thingNotFound,
  tooMany,
} from "../definition/common-errors.ts";
import { exampleIds } from "../definition/example-ids.ts";
import { answerText, closed, nameText, nullable, open, optional, timestamp } from "../definition/fields.ts";
import { created, defineFeature, noContent, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { validatorWithoutNulls } from "../validation/validator.ts";
import { sessionExample, sessionSchema, signedIn } from "./sessions/shared.ts";
import { invitationTokenSchema, MAX_MEMBERS, noInvitation, tooManyMembers } from "./sessions/sign-in.ts";

const accountPatchSchema = open(
  { label: nameText("What the account is called.") },
  "Changes of the account.",
);
/** The body of PATCH /account. */
export const accountPatch = validatorWithoutNulls(accountPatchSchema);

const memberSchema = closed(
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

const memberChanges = open({ role: memberRole("The member's new role.") }, "Changes of a member.");
const memberPatchSchema = patchSchemaOf(memberChanges, memberSchema);
/** The body of PATCH /members/{user_id}. */
export const memberPatch = patchReader(memberChanges, memberSchema, {
  name: "each user changes it by PATCH /user",
});

const memberListSchema = Type.Array(memberSchema, {
  description: "The members of the account, in the order of joining.",
});

const invitationCreateSchema = open(
  {
    role: memberRole("The role of the person who accepts."),
    note: optional(nameText("Whom the invitation is meant for, in the owner's own words.")),
  },
  "An invitation to join the account.",
);
/** The body of POST /invitations. */
export const invitationCreate = validatorWithoutNulls(invitationCreateSchema);

const invitationFields = {
  id: answerText("The invitation's identifier, inv_…; it is not the token."),
  role: memberRole("The role of the person who accepts."),
  note: nullable(answerText("Whom the invitation is meant for.")),
  created_at: timestamp("When the invitation was made."),
  expires_at: timestamp("When the invitation ends by itself."),
};

const invitationSchema = closed(invitationFields, "An open invitation, without its token.");
export type InvitationBody = Static<typeof invitationSchema>;

const createdInvitationSchema = closed(
  {
    ...invitationFields,
    token: answerText(
      "The token itself: it is not stored, so that it cannot be looked up later. A retry with the same Idempotency-Key shows it again for 24 hours.",
    ),
    link_path: answerText(
      "The path and fragment of the page that accepts it, to be put behind the address of the dashboard. The service sends no e-mail: hand the link over yourself.",
    ),
  },
  "A new invitation, with its token.",
);
export type CreatedInvitationBody = Static<typeof createdInvitationSchema>;

const invitationListSchema = Type.Array(invitationSchema, {
  description: "The account's open invitations, in the order of their creation.",
});

/** Maximum open invitations per account. */
export const MAX_INVITATIONS = 100;
const member = {
  user_id: exampleIds.user,
  name: "Ada Ember",
  email: "ada@emberroast.example",
  role: "owner",
  joined_at: exampleIds.moment,
};
const invitation = {
  id: exampleIds.invitation,
  role: "manager",
  note: "Bo of the agency",
  created_at: exampleIds.moment,
  expires_at: "2026-12-08T09:30:00.000Z",
};
const token = "inv_MnBvCxZaSdFgHjKlPoIuYtReWq0987654321";

const roleMissing = missingField("role is required: it must be one of viewer, manager, owner");
const unknownRole = notAllowedField('role must be one of viewer, manager, owner, but "admin" was sent');
export const noMember = refusal(
  404,
  "no_member",
  "The account has no such member.",
  "The account has no member of this id: GET /members lists them.",
);
export const lastOwner = refusal(
  409,
  "last_owner",
  "The account would be left without an owner.",
  "This is the last owner of the account: make another member an owner first.",
);

export const tooManyInvitations = tooMany(
  "account",
  MAX_INVITATIONS,
  "open invitations",
  "withdraw one first",
);
export const invitationNotShownAgain = notShownAgain(
  "The token of the first answer cannot be shown again: withdraw the invitation, which GET /invitations lists, and make another one with another Idempotency-Key.",
);
export const otherAccountsInvitation = belongsToAnother("account", "invitation", "/invitations");
export const unknownInvitation = thingNotFound("unknown_invitation", "Invitation", "/invitations");
export const alreadyMember = refusal(
  409,
  "already_member",
  "The user is a member of the account.",
  "You are a member of this account already: switch to it by PATCH /session.",
);
export const membersApi = defineFeature({
  tag: "Members",
  description: "Who may act for the account, and how far. For signed-in users only.",
  schemas: {
    Member: memberSchema,
    MemberChanges: memberPatchSchema,
    AccountChanges: accountPatchSchema,
    Invitation: invitationSchema,
    CreatedInvitation: createdInvitationSchema,
    NewInvitation: invitationCreateSchema,
  },
  operations: {
    changeAccount: operation("PATCH /account", {
      ...signedIn,
      role: "owner",
      operationId: "updateAccount",
      summary: "Rename the account",
      description: "Changes the account's name.",
      request: { schema: accountPatchSchema, example: { label: "Emberroast Coffee" } },
      success: [ok("The session.", sessionSchema, sessionExample)],
      refusals: requiredName("label"),
    }),
    list: operation("GET /members", {
      ...signedIn,
      operationId: "listMembers",
      summary: "List the members",
      description: `In the order of joining: all of them, as an account has at most ${MAX_MEMBERS}, open invitations included.`,
      success: [ok("The members.", memberListSchema, [member])],
      refusals: [],
    }),
    change: operation("PATCH /members/{user_id}", {
      ...signedIn,
      role: "owner",
      operationId: "updateMember",
      summary: "Change a member's role",
      description: "In force with the member's next request. At least one owner stays.",
      request: { schema: memberPatchSchema, example: { role: "owner" } },
      success: [ok("The member.", memberSchema, member)],
      refusals: [
        roleMissing,
        noMember,
        lastOwner,
        unknownRole,
        responseOnlyField("email cannot be changed by PATCH: leave it out"),
      ],
    }),
    remove: operation("DELETE /members/{user_id}", {
      ...signedIn,
      operationId: "removeMember",
      summary: "Remove a member, or leave",
      description:
        "An owner removes anybody; every member can leave. The user's sessions act for another account of theirs from then on, for a new one where there is none. API keys belong to the account and stay in force, unless an owner has those revoked that the member made.",
      query: [
        {
          name: "revoke_keys",
          schema: Type.Boolean({ description: "Whether the keys that the member made are revoked, too." }),
          example: true,
        },
      ],
      success: [noContent("The user is no longer a member.")],
      refusals: [
        roleTooLow,
        noMember,
        lastOwner,
        refusal(
          422,
          "revoke_keys",
          "revoke_keys is neither true nor false.",
          'revoke_keys must be true or false, but "yes" was sent',
        ),
      ],
    }),
    listInvitations: operation("GET /invitations", {
      ...signedIn,
      operationId: "listInvitations",
      summary: "List the open invitations",
      description: "In the order of their creation, without their tokens.",
      success: [ok("The invitations.", invitationListSchema, [invitation])],
      refusals: [],
    }),
    invite: operation("POST /invitations", {
      ...signedIn,
      role: "owner",
      operationId: "createInvitation",
      summary: "Invite a person",
      description:
        "Makes a link by which one person can join the account within 7 days. It is shown in this answer alone, or in that of a retry with the same `Idempotency-Key`, and the service sends no e-mail: hand it over yourself.",
      idempotent: true,
      request: { schema: invitationCreateSchema, example: { role: "manager", note: "Bo of the agency" } },
      success: [
        created("The invitation, with its token.", createdInvitationSchema, {
          ...invitation,
          token,
          link_path: `/join#${token}`,
        }),
      ],
      refusals: [
        roleMissing,
        malformedName("note"),
        unknownRole,
        tooManyInvitations,
        tooManyMembers,
        invitationNotShownAgain,
      ],
    }),
    withdraw: operation("DELETE /invitations/{invitation_id}", {
      ...signedIn,
      role: "owner",
      operationId: "withdrawInvitation",
      summary: "Withdraw an invitation",
      description: "Its link leads nowhere from then on. A second DELETE is 204 again.",
      success: [noContent("The invitation is withdrawn.")],
      refusals: [otherAccountsInvitation, unknownInvitation],
    }),
    accept: operation("POST /invitations/accept", {
      ...signedIn,
      operationId: "acceptInvitation",
      summary: "Accept an invitation",
      description: "Makes the signed-in user a member of the account, and lets the session act for it.",
      request: { schema: invitationTokenSchema, example: { token } },
      success: [ok("The session.", sessionSchema, sessionExample)],
      refusals: [...requiredName("token", "a number"), noInvitation, alreadyMember, tooManyMembers],
    }),
  },
});
