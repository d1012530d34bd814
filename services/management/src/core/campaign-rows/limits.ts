/** Maximum UTF-8 bytes of all texts of one creative. */
export const MAX_CREATIVE_TEXT_BYTES = 16 * 1_024;
/** Maximum bytes of one published campaign. */
export const MAX_CAMPAIGN_BYTES = 256 * 1_024;
/** Maximum bytes of all published campaigns and placements of one account. */
export const MAX_ACCOUNT_BYTES = 64 * 1_024 * 1_024;
/** Maximum placements of one account, including disabled ones. */
export const MAX_PLACEMENTS = 10_000;
