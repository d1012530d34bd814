/** What has, or had, the focus, with the elements around it: once it is gone, they say where it was. */
interface Place {
  element: HTMLElement;
  around: HTMLElement[];
  dialog: Element | null;
}

const DIALOG = '[role="dialog"]';
const FOCUSABLE = "a, button, input, select, textarea, summary, [tabindex]";
const NEXT = "[data-autofocus], h1, h2, h3";
/** Until the page has drawn what follows from an action, and a dialog has given the focus back. */
const SETTLED_MS = 100;

/**
 * Browsers drop the focus when its element is removed or disabled, and the keyboard then begins again at the top of the
 * page. Gives it back to a button that was busy and can be pressed again, also behind a closed dialog; otherwise to what
 * is meant to be next (`data-autofocus`), or to the nearest heading. Not where the person has left the element.
 */
export function keepFocus(): void {
  let last: Place | undefined;
  /** Of the page behind a dialog. */
  let behind: Place | undefined;
  let isPlanned = false;

  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    last = placeOf(target);
    if (last.dialog === null) behind = last;
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
    if (document.activeElement !== document.body) return;
    const place = last?.dialog?.isConnected === false ? behind : last;
    if (place === undefined || isBusy(place.element)) return;
    const target = canTakeFocus(place.element) ? place.element : nextTo(place);
    if (target === undefined) return;
    if (target.matches("h1, h2, h3")) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  };
  new MutationObserver(() => {
    if (isPlanned || last === undefined || document.activeElement !== document.body) return;
    isPlanned = true;
    setTimeout(restore, SETTLED_MS);
  }).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ["disabled", "data-loading"],
  });
}

function placeOf(element: HTMLElement): Place {
  const around: HTMLElement[] = [];
  for (let one = element.parentElement; one !== null; one = one.parentElement) around.push(one);
  return { element, around, dialog: element.closest(DIALOG) };
}

function isBusy(element: HTMLElement): boolean {
  return element.isConnected && element.hasAttribute("data-loading");
}

function canTakeFocus(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(":disabled");
}

/** In the innermost element around the place that has something to go on with. */
function nextTo({ around }: Place): HTMLElement | undefined {
  for (const one of around) {
    if (!one.isConnected) continue;
    const next = one.querySelector<HTMLElement>(NEXT);
    if (next !== null) return next;
    if (one.matches(DIALOG)) return undefined;
  }
  return undefined;
}
