import Type, { type Static } from "typebox";
import { patchReader, patchSchemaOf } from "../validation/response-only.ts";
import { createValidator, type WithoutNulls } from "../validation/validator.ts";
import {
  amountCents,
  answerText,
  closed,
  count,
  nameText,
  nullable,
  open,
  optional,
  timestamp,
} from "./fields.ts";

const EMAIL_CHARACTERS = 254;
const URL_CHARACTERS = 2_000;

function emailAddress() {
  return Type.String({
    format: "email",
    maxLength: EMAIL_CHARACTERS,
    description: "Where the advertiser is reached; unique among advertisers without regard to case.",
  });
}

function website() {
  return optional(
    Type.String({
      format: "uri",
      maxLength: URL_CHARACTERS,
      description: "The advertiser's website: an absolute http or https address.",
    }),
  );
}

export const registerRequestSchema = open(
  {
    company_name: nameText("Name of the company."),
    contact_email: emailAddress(),
    website: website(),
  },
  "Binds an advertiser profile to the account of the key.",
);
export type RegisterRequest = WithoutNulls<Static<typeof registerRequestSchema>>;
/** The body of POST /register. */
export const registerRequest = createValidator(registerRequestSchema);

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

export const profilePatchSchema = patchSchemaOf(profileChanges, advertiserSchema);
/** The body of PATCH /profile. */
export const profilePatch = patchReader(profileChanges, advertiserSchema, {
  balance_cents: "add to it by POST /deposit",
});

export const depositRequestSchema = open(
  { amount_cents: amountCents("What to add to the balance, in cents.") },
  "Adds money to the advertiser's balance.",
);
export type DepositRequest = Static<typeof depositRequestSchema>;
/** The body of POST /deposit. */
export const depositRequest = createValidator(depositRequestSchema);

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
export const depositListSchema = Type.Array(bookedDeposit, { description: "Deposits, newest first." });
export type DepositListBody = Static<typeof depositListSchema>;
export type DepositResponse = Static<typeof depositResponseSchema>;
