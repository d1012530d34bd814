/** What has, or had, the focus. Once it is gone, its ancestors say where it was: the innermost first. */
interface Focused {
  element: HTMLElement;
  ancestors: HTMLElement[];
  dialog: Element | null;
}

const DIALOG = '[role="dialog"]';
const FOCUSABLE = "a, button, input, select, textarea, summary, [tabindex]";
const HEADING = "h1, h2, h3";
/** Until the page has drawn what follows from an action, and a dialog has given the focus back. */
const SETTLED_MS = 100;

/**
 * Browsers drop the focus when its element is removed or disabled, and the keyboard then begins again at the top of the
 * page. Gives it back to a control that was busy and can be used again, also behind a closed dialog; otherwise to what is
 * meant to be next (`data-autofocus`), or to the nearest heading. Not where the person has left the element.
 *
 * A control that is disabled while something is under way says so by `data-loading`, as buttons do, or `data-busy`.
 */
export function keepFocus(): void {
  let last: Focused | undefined;
  /** Of the page behind a dialog. */
  let behind: Focused | undefined;
  /** Whether the element was removed or disabled while it had the focus. */
  let isLost = false;
  let isPlanned = false;

  document.addEventListener("focusin", ({ target }) => {
    isLost = false;
    last = target instanceof HTMLElement ? describeFocus(target) : undefined;
    if (last?.dialog === null) behind = last;
  });
  document.addEventListener(
    "pointerdown",
    ({ target }) => {
      if (target instanceof Element && target.closest(FOCUSABLE) === null) last = undefined;
    },
    { capture: true },
  );

  const restore = () => {
    isPlanned = false;
    if (document.activeElement !== document.body || !document.hasFocus()) return;
    const former = last?.dialog?.isConnected === false ? behind : last;
    if (former === undefined || isBusy(former.element)) return;
    const target = canTakeFocus(former.element) ? former.element : nextTo(former);
    if (target === undefined) return;
    if (target.matches(HEADING)) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  };
  new MutationObserver((changes) => {
    if (last === undefined) return;
    const { element } = last;
    // A busy control is still focused when it is disabled, and may be free again before anything else changes.
    isLost ||=
      !element.isConnected || changes.some(({ type, target }) => type === "attributes" && target === element);
    if (isPlanned || !isLost || document.activeElement !== document.body) return;
    isPlanned = true;
    setTimeout(restore, SETTLED_MS);
  }).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ["disabled", "data-loading", "data-busy"],
  });
}

function describeFocus(element: HTMLElement): Focused {
  const ancestors: HTMLElement[] = [];
  for (let ancestor = element.parentElement; ancestor !== null; ancestor = ancestor.parentElement) {
    ancestors.push(ancestor);
  }
  return { element, ancestors, dialog: element.closest(DIALOG) };
}

function isBusy(element: HTMLElement): boolean {
  return element.isConnected && element.matches(':disabled:is([data-loading], [data-busy="true"])');
}

function canTakeFocus(element: HTMLElement): boolean {
  const isReachable = element.isConnected && element.checkVisibility() && element.closest("[inert]") === null;
  return isReachable && !element.matches(":disabled");
}

/**
 * The next target in the innermost ancestor that has one. Headings after an element that is still in the page belong to
 * other sections.
 */
function nextTo({ element, ancestors }: Focused): HTMLElement | undefined {
  const isBefore = (heading: HTMLElement) =>
    !element.isConnected ||
    (heading.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const reachable = (ancestor: HTMLElement, selector: string) =>
    [...ancestor.querySelectorAll<HTMLElement>(selector)].filter(canTakeFocus);
  for (const ancestor of ancestors) {
    if (!ancestor.isConnected) continue;
    const headings = reachable(ancestor, HEADING).filter(isBefore);
    const heading = element.isConnected ? headings.at(-1) : headings[0];
    const next = reachable(ancestor, "[data-autofocus]")[0] ?? heading;
    if (next !== undefined || ancestor.matches(DIALOG)) return next;
  }
  return undefined;
}
