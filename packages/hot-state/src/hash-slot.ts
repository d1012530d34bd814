const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** CRC-16/XMODEM table, the checksum that Redis Cluster uses for keys. */
const REMAINDERS = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 0x8000 ? (remainder << 1) ^ POLYNOMIAL : remainder << 1;
  }
  return remainder;
});

/** The hash slot (0 to 16383) of all keys with this hash tag. */
export function hashSlotOf(tag: string): number {
  let remainder = 0;
  for (const byte of Buffer.from(tag)) {
    remainder = ((remainder << 8) ^ (REMAINDERS[(remainder >> 8) ^ byte] ?? 0)) & 0xffff;
  }
  return remainder % SLOTS;
}
