/** The page to go to after signing in: one of this application's own, whatever the address names. */
export function nextPage(next: string | null): string {
  const isOwn = next !== null && /^\/([^/\\]|$)/.test(next) && !/[\t\r\n]/.test(next);
  return isOwn ? next : "/";
}
