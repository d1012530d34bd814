import type { Icon } from "@tabler/icons-react";
import type { RouteObject } from "react-router";

export interface NavigationEntry {
  to: string;
  label: string;
  icon: Icon;
  /** Marked only on exactly this page, not on pages below it. */
  isExact?: boolean;
}

/** A part of the application: its group in the navigation, and its pages. */
export interface Area {
  label: string;
  navigation: readonly NavigationEntry[];
  /** Pages inside the frame, each loaded when it is first opened. */
  routes: readonly RouteObject[];
  /** Shown to operators only. */
  isForOperators?: boolean;
}
