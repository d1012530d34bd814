/** Characters of a password. The lower bound applies to new ones. */
export const PASSWORD_CHARACTERS = { minimum: 10, maximum: 128 };
