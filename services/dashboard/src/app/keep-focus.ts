/**
 * A button that shows that something is under way is disabled, and browsers then take the focus from it. Gives it back
 * when the button can be pressed again, unless it went elsewhere meanwhile.
 */
export function keepFocusOfBusyButtons(): void {
  let focused: EventTarget | null = null;
  document.addEventListener("focusin", ({ target }) => {
    focused = target;
  });
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const isFree = target instanceof HTMLButtonElement && !target.disabled;
      if (isFree && target === focused && document.activeElement === document.body) {
        target.focus({ preventScroll: true });
      }
    }
  }).observe(document.body, { subtree: true, attributeFilter: ["disabled"] });
}
