import type { Static } from "typebox";
import {
  malformedEmail,
  malformedField,
  missingField,
  missingName,
  nameTooLong,
  notAllowedField,
  registerFirst,
  responseOnlyField,
} from "../definition/common-errors.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  amountCents,
  answerText,
  closed,
  count,
  MAX_EMAIL_CHARACTERS,
  nameText,
  nullable,
  open,
  optional,
  timestamp,
} from "../definition/fields.ts";
import { created, defineFeature, ok, operation, refusal } from "../definition/operation.ts";
import Type from "../definition/type.ts";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { validatorWithoutNulls, type WithoutNulls } from "../validation/validator.ts";

const MAX_URL_CHARACTERS = 2_000;

function emailAddress() {
  return Type.String({
    format: "email",
    maxLength: MAX_EMAIL_CHARACTERS,
    description: "Where the advertiser is reached; unique among advertisers without regard to case.",
  });
}

function website() {
  return optional(
    Type.String({
      format: "uri",
      maxLength: MAX_URL_CHARACTERS,
      description: "The advertiser's website: an absolute http or https address.",
    }),
  );
}

const registerRequestSchema = open(
  {
    company_name: nameText("Name of the company."),
    contact_email: emailAddress(),
    website: website(),
  },
  "Binds an advertiser profile to the account of the key.",
);
export type RegisterRequest = WithoutNulls<Static<typeof registerRequestSchema>>;
/** The body of POST /register. */
export const registerRequest = validatorWithoutNulls(registerRequestSchema);

const profileChanges = open(
  {
    company_name: Type.Optional(nameText("Name of the company.")),
    contact_email: Type.Optional(emailAddress()),
    website: website(),
  },
  "Changes the fields that it contains; null clears the website.",
);
export type ProfilePatch = Static<typeof profileChanges>;

export const advertiserSchema = closed(
  {
    id: answerText("The advertiser, adv_…"),
    company_name: answerText("Name of the company."),
    contact_email: answerText("Where the advertiser is reached."),
    website: nullable(answerText("The advertiser's website; null without one.")),
    balance_cents: count("Deposits less spending, in whole cents, rounded down."),
    created_at: timestamp("When the advertiser registered."),
  },
  "An advertiser.",
);
export type AdvertiserBody = Static<typeof advertiserSchema>;

const profilePatchSchema = patchSchemaOf(profileChanges, advertiserSchema);
/** The body of PATCH /profile. */
export const profilePatch = patchReader(profileChanges, advertiserSchema, {
  balance_cents: "add to it by POST /deposit",
});

const depositRequestSchema = open(
  { amount_cents: amountCents("What to add to the balance, in cents.") },
  "Adds money to the advertiser's balance.",
);
/** The body of POST /deposit. */
export const depositRequest = validatorWithoutNulls(depositRequestSchema);

export const depositResponseSchema = closed(
  {
    balance_cents: count("The new balance in whole cents, rounded down."),
    deposited_cents: count("What this deposit added, in cents."),
  },
  "A deposit that was made.",
);
const bookedDeposit = closed(
  {
    id: answerText("The deposit, dep_…"),
    amount_cents: count("What was deposited, in cents."),
    created_at: timestamp("When it was deposited."),
  },
  "A deposit of the past.",
);
const depositListSchema = Type.Array(bookedDeposit, { description: "Deposits, newest first." });

const registration = {
  company_name: "Emberroast Coffee",
  contact_email: "ads@emberroast.example",
  website: "https://emberroast.example/",
};
const advertiser = {
  id: exampleIds.advertiser,
  ...registration,
  balance_cents: 0,
  created_at: exampleIds.moment,
};
export const withoutProfile = refusal(
  404,
  "not_registered",
  "The account of the key has no advertiser profile.",
  "This account has no advertiser profile yet: register first by POST /register.",
);
export const contactEmailTaken = refusal(
  409,
  "email_taken",
  "The address belongs to another advertiser; upper and lower case are the same.",
  "contact_email belongs to another advertiser already: use another address",
);
export const alreadyRegistered = refusal(
  409,
  "already_registered",
  "The account has a profile already.",
  "This account has an advertiser profile already: change it by PATCH /profile.",
);
export const tooMuchDeposited = refusal(
  422,
  "too_much_in_all",
  "All deposits together would pass 9007199254740 cents.",
  (maxCents: number) =>
    `amount_cents is too much: all deposits together may be at most ${maxCents} cents, so deposit less`,
  9_007_199_254_740,
);
const common = { group: "management", scope: "advertiser" } as const;

export const advertiserApi = defineFeature({
  tag: "Advertiser",
  description: "The advertiser profile of the key's account, and its money.",
  schemas: {
    Advertiser: advertiserSchema,
    Registration: registerRequestSchema,
    ProfileChanges: profilePatchSchema,
    DepositRequest: depositRequestSchema,
    Deposit: depositResponseSchema,
    BookedDeposit: bookedDeposit,
  },
  operations: {
    register: operation("POST /register", {
      ...common,
      operationId: "registerAdvertiser",
      summary: "Register as an advertiser",
      description: "Binds an advertiser profile to the account of the key. An account has at most one.",
      idempotent: true,
      request: { schema: registerRequestSchema, example: registration },
      success: [created("The new advertiser.", advertiserSchema, advertiser)],
      refusals: [
        missingName("company_name"),
        malformedEmail("contact_email"),
        alreadyRegistered,
        contactEmailTaken,
        nameTooLong("company_name"),
      ],
    }),
    showProfile: operation("GET /profile", {
      ...common,
      operationId: "getProfile",
      summary: "Read the profile",
      description: "The advertiser of the key's account, with the balance of this moment.",
      success: [ok("The advertiser.", advertiserSchema, { ...advertiser, balance_cents: 250_000 })],
      refusals: [withoutProfile],
    }),
    changeProfile: operation("PATCH /profile", {
      ...common,
      operationId: "updateProfile",
      summary: "Change the profile",
      description: "Changes the fields that the body contains; `null` clears the website.",
      request: {
        schema: profilePatchSchema,
        example: { company_name: "Emberroast Roastery", website: null },
      },
      success: [
        ok("The changed advertiser.", advertiserSchema, {
          ...advertiser,
          company_name: "Emberroast Roastery",
          website: null,
          balance_cents: 250_000,
        }),
      ],
      refusals: [
        malformedField('website must be an absolute http or https address, but "emberroast" was sent'),
        withoutProfile,
        contactEmailTaken,
        nameTooLong("company_name"),
        responseOnlyField("balance_cents cannot be changed by PATCH: add to it by POST /deposit"),
      ],
    }),
    deposit: operation("POST /deposit", {
      ...common,
      operationId: "depositFunds",
      summary: "Deposit money",
      description:
        "Adds to the balance at once. Send an `Idempotency-Key`, so that a retry after a lost answer does not deposit twice.",
      idempotent: true,
      request: { schema: depositRequestSchema, example: { amount_cents: 250_000 } },
      success: [
        ok("The deposit, with the new balance.", depositResponseSchema, {
          balance_cents: 250_000,
          deposited_cents: 250_000,
        }),
      ],
      refusals: [
        missingField("amount_cents is required: it must be a whole number from 1 to 1000000000"),
        malformedField('amount_cents must be a whole number from 1 to 1000000000, but "500" was sent'),
        registerFirst,
        notAllowedField("amount_cents must be a whole number from 1 to 1000000000, but 0 was sent"),
        tooMuchDeposited,
      ],
    }),
    deposits: operation("GET /deposits", {
      ...common,
      operationId: "listDeposits",
      addition: true,
      summary: "List the deposits",
      description:
        "What was deposited and when, newest first. `GET /ledger` has the balance of each day. Without `limit` a page has 500 rows.",
      paged: true,
      success: [
        ok("The deposits.", depositListSchema, [
          { id: exampleIds.deposit, amount_cents: 250_000, created_at: exampleIds.moment },
        ]),
      ],
      refusals: [registerFirst],
    }),
  },
});
