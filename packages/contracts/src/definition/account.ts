import { MEMBER_ROLES } from "./enumerations.ts";
import { answerText, oneOf } from "./fields.ts";

/** The fields that identify an account. */
export const accountRef = {
  id: answerText("The account's identifier, acct_…."),
  label: answerText("The account's name."),
};

const ROLES =
  "owner: everything; manager: all but members, invitations and API keys; viewer: reads, simulates and explains.";

export function memberRole(description: string) {
  return oneOf(MEMBER_ROLES, `${description} ${ROLES}`);
}
