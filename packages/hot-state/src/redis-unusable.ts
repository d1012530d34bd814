/** Only an operator can make this Redis usable; the message is for them. */
export class RedisUnusable extends Error {
  override name = "RedisUnusable";
}
