import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  Card,
  Checkbox,
  type CSSVariablesResolver,
  createTheme,
  Input,
  type MantineColorsTuple,
  Modal,
  Notification,
  Paper,
  Radio,
  SegmentedControl,
  Skeleton,
  Switch,
  Table,
  Tabs,
  Text,
  Tooltip,
} from "@mantine/core";
import classes from "./theme.module.css";
import { type ColorToken, tokens } from "./tokens.ts";

/** Mantine takes colours as ten shades: the two that the product has stand where the theme's primary shade looks them up. */
const LIGHT_SHADE = 8;
const DARK_SHADE = 4;

function shades(token: ColorToken): MantineColorsTuple {
  const [light, dark] = tokens[token];
  // A hovered button takes the next shade: that, too, has to be of its own colour scheme.
  return [dark, dark, dark, dark, dark, dark, light, light, light, light];
}

const [paper, night] = tokens.background;
const [lightSurface, darkSurface] = tokens.surface;
const [lightLine, darkLine] = tokens.line;
const [lightInk, darkInk] = tokens.ink;
const [lightMuted, darkMuted] = tokens.muted;

export const theme = createTheme({
  primaryColor: "ember",
  primaryShade: { light: LIGHT_SHADE, dark: DARK_SHADE },
  autoContrast: true,
  luminanceThreshold: 0.3,
  white: lightSurface,
  black: lightInk,
  colors: {
    ember: shades("ember"),
    positive: shades("positive"),
    warning: shades("warning"),
    negative: shades("negative"),
    info: shades("info"),
    gray: [
      paper,
      paper,
      lightLine,
      lightLine,
      lightLine,
      lightMuted,
      lightMuted,
      lightMuted,
      lightInk,
      lightInk,
    ],
    dark: [darkInk, darkInk, darkMuted, darkMuted, darkLine, darkLine, darkSurface, night, night, night],
  },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: "13px", sm: "14px", md: "16px", lg: "20px", xl: "28px" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.4", xl: "1.25" },
  spacing: { xs: "8px", sm: "12px", md: "16px", lg: "24px", xl: "40px" },
  radius: { xs: "6px", sm: "6px", md: "6px", lg: "6px", xl: "6px" },
  defaultRadius: "md",
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "28px", lineHeight: "1.25" },
      h2: { fontSize: "20px", lineHeight: "1.4" },
      h3: { fontSize: "16px", lineHeight: "1.5" },
    },
  },
  shadows: {
    xs: "none",
    sm: "none",
    md: "0 4px 16px rgb(0 0 0 / 12%)",
    lg: "0 4px 16px rgb(0 0 0 / 12%)",
    xl: "0 8px 32px rgb(0 0 0 / 16%)",
  },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Button: Button.extend({
      defaultProps: { size: "sm", variant: "filled" },
      classNames: { root: classes.button ?? "", loader: classes.loader ?? "" },
    }),
    Text: Text.extend({ defaultProps: { size: "sm" } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { "aria-label": "Close" } } }),
    Checkbox: Checkbox.extend({
      defaultProps: { size: "sm", iconColor: "var(--on-accent)" },
      classNames: { input: classes.check ?? "" },
    }),
    Radio: Radio.extend({
      defaultProps: { iconColor: "var(--on-accent)" },
      classNames: { radio: classes.check ?? "" },
    }),
    Switch: Switch.extend({ classNames: { track: classes.track ?? "" } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: "subtle", color: "gray" } }),
    Anchor: Anchor.extend({ defaultProps: { underline: "always" } }),
    Alert: Alert.extend({ defaultProps: { variant: "outline" }, classNames: { root: classes.alert ?? "" } }),
    Card: Card.extend({
      defaultProps: { withBorder: true, padding: "lg" },
      classNames: { root: classes.card ?? "" },
    }),
    Paper: Paper.extend({ classNames: { root: classes.card ?? "" } }),
    Input: Input.extend({ classNames: { input: classes.input ?? "" } }),
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] },
      classNames: { description: classes.help ?? "", label: classes.label ?? "", error: classes.error ?? "" },
    }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        closeButtonProps: { "aria-label": "Close" },
        overlayProps: { backgroundOpacity: 0.45 },
      },
      classNames: {
        content: classes.card ?? "",
        header: classes.card ?? "",
        title: classes.dialogTitle ?? "",
      },
    }),
    SegmentedControl: SegmentedControl.extend({
      classNames: {
        root: classes.segments ?? "",
        indicator: classes.segmentMark ?? "",
        label: classes.segment ?? "",
      },
    }),
    Skeleton: Skeleton.extend({ classNames: { root: classes.skeleton ?? "" } }),
    // The focus goes to a field with a problem: a list that opened by itself would hide the sentence below it. Named
    // without an import, which would load these fields with the first page.
    Select: { defaultProps: { openOnFocus: false } },
    Autocomplete: { defaultProps: { openOnFocus: false } },
    // A number out of bounds gets its sentence: another one in its place would be saved unseen.
    NumberInput: { defaultProps: { clampBehavior: "none" } },
    Table: Table.extend({ defaultProps: { verticalSpacing: 12, horizontalSpacing: 12 } }),
    Tabs: Tabs.extend({ classNames: { tab: classes.tab ?? "" } }),
    Tooltip: Tooltip.extend({
      defaultProps: {
        openDelay: 250,
        multiline: true,
        maw: 320,
        events: { hover: true, focus: true, touch: true },
      },
    }),
  },
});

function variables(scheme: 0 | 1): Record<string, string> {
  const own = Object.entries(tokens).map(([name, values]) => [`--${name}`, values[scheme]]);
  return {
    ...Object.fromEntries(own),
    "--mantine-color-body": tokens.background[scheme],
    "--mantine-color-text": tokens.ink[scheme],
    "--mantine-color-dimmed": tokens.muted[scheme],
    "--mantine-color-placeholder": tokens.muted[scheme],
    "--mantine-color-default": tokens.surface[scheme],
    "--mantine-color-default-hover": tokens.background[scheme],
    "--mantine-color-default-color": tokens.ink[scheme],
    "--mantine-color-default-border": tokens.line[scheme],
    "--mantine-color-anchor": tokens.info[scheme],
    "--mantine-color-error": tokens.negative[scheme],
    "--mantine-color-disabled": tokens.background[scheme],
    "--mantine-color-disabled-color": tokens.muted[scheme],
    "--mantine-color-disabled-border": tokens.line[scheme],
  };
}

export const variablesResolver: CSSVariablesResolver = () => ({
  variables: { "--story-font": "'Literata Variable', Georgia, serif", "--stale-opacity": "0.5" },
  light: {
    ...variables(0),
    "--wash": "#F3EFE7",
    "--on-accent": "#FFFFFF",
  },
  dark: {
    ...variables(1),
    "--wash": "#23252F",
    "--on-accent": "#14151A",
  },
});
