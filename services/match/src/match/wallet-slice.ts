/** The slice that has a player session's matches: always the same one, so that creative caps count in one wallet. */
export function sliceOfSession(sessionKey: string, slices: number): number {
  if (slices === 1) return 0;
  return Buffer.from(sessionKey.slice(0, 8), "base64url").readUIntBE(0, 6) % slices;
}
