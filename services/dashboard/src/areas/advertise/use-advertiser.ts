import { hasStatus } from "../../api/api-error.ts";
import { useRead } from "../../api/queries.ts";

/** The advertiser profile of the account, and whether what belongs to it can be asked for: before registration that is 403. */
export function useAdvertiser() {
  const profile = useRead("GET /profile");
  const isRegistered = profile.data !== undefined;
  const isUnregistered = !isRegistered && hasStatus(profile.error, 404);
  // Where the profile alone could not be read, the rest may still be.
  const canRead = isRegistered || (profile.isError && !isUnregistered);
  return { profile, isRegistered, isUnregistered, canRead };
}
