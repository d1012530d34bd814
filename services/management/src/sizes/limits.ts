/** Maximum bytes in UTF-8 of all texts of one creative together. */
export const MAX_CREATIVE_TEXT_BYTES = 16 * 1_024;
/** Maximum bytes of one campaign as published. */
export const MAX_CAMPAIGN_BYTES = 256 * 1_024;
/** Maximum bytes of all campaigns and placements of one account as published. */
export const MAX_ACCOUNT_BYTES = 64 * 1_024 * 1_024;
/** Maximum placements of one account, disabled ones included. */
export const MAX_PLACEMENTS = 10_000;
