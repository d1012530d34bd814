const MIN_MAJOR_VERSION = 7;

/** Why a server is too old by its INFO, as one sentence for the operator; undefined: it is not. Valkey has a version of Redis, too. */
export function outdatedRedis(info: string): string | undefined {
  const version = /^redis_version:(\S+)/m.exec(info)?.[1];
  if (version === undefined || Number.parseInt(version, 10) >= MIN_MAJOR_VERSION) return undefined;
  return `Redis at REDIS_URL has version ${version}: upgrade it to ${MIN_MAJOR_VERSION}.0 or later.`;
}
