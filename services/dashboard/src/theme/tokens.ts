/**
 * The colours of the product (light, dark). Texts have a contrast of at least 5.4 to 1 with their background, borders of
 * controls and lines of charts at least 3 to 1.
 */
export const tokens = {
  background: ["#FAF8F4", "#14151A"],
  surface: ["#FFFFFF", "#1C1E26"],
  line: ["#E6E1D8", "#2D303B"],
  control: ["#928D83", "#6A6E7B"],
  grey: ["#8B8794", "#8D899A"],
  ink: ["#1C1B22", "#ECEAF2"],
  muted: ["#5F5B66", "#A7A3B3"],
  ember: ["#A84A08", "#F2A65A"],
  positive: ["#1B6E45", "#5BC98C"],
  warning: ["#8A5A00", "#E0B341"],
  negative: ["#B42318", "#F07B6E"],
  info: ["#2B5FA4", "#7FB0F2"],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

export type ColorToken = keyof typeof tokens;
