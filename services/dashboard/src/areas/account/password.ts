import { PASSWORD_CHARACTERS } from "@diegetic/contracts/password";

const { minimum, maximum } = PASSWORD_CHARACTERS;

export const PASSWORD_HELP = `At least ${minimum} characters. A sentence is a good password.`;

/** What is wrong with a new password of the user with this address, if anything. */
export function checkPassword(password: string, email: string): string | undefined {
  const { length } = [...password];
  if (length < minimum) return `Use at least ${minimum} characters.`;
  if (length > maximum) return `Use at most ${maximum} characters.`;
  if (password.trim().toLowerCase() === email.trim().toLowerCase()) {
    return "Use another one than your e-mail address: whoever knows that could sign in.";
  }
  return undefined;
}
