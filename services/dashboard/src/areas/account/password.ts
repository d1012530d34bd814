const MIN_CHARACTERS = 10;
const MAX_CHARACTERS = 128;

export const PASSWORD_HELP = `At least ${MIN_CHARACTERS} characters. A sentence is a good password.`;

/** What is wrong with a new password, if anything. */
export function checkPassword(password: string): string | undefined {
  if (password.length < MIN_CHARACTERS) return `Use at least ${MIN_CHARACTERS} characters.`;
  if (password.length > MAX_CHARACTERS) return `Use at most ${MAX_CHARACTERS} characters.`;
  return undefined;
}
