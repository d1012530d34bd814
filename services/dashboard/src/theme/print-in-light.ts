const SCHEME = "data-mantine-color-scheme";

/** Prints every page in the light theme, whatever the screen shows: paper is white. */
export function printInLight(): void {
  const { documentElement: root } = document;
  let onScreen: string | null = null;
  addEventListener("beforeprint", () => {
    onScreen ??= root.getAttribute(SCHEME);
    root.setAttribute(SCHEME, "light");
  });
  addEventListener("afterprint", () => {
    if (onScreen !== null) root.setAttribute(SCHEME, onScreen);
    onScreen = null;
  });
}
