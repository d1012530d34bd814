/** The page to go to after signing in: one of this application's own, whatever the address names. */
export function nextPage(next: string | null): string {
  return next !== null && /^\/(?![/\\])/.test(next) ? next : "/";
}
