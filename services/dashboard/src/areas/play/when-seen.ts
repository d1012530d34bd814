/** As much of a line has to be in view as advertising counts for a display ad. */
const MIN_VISIBLE_SHARE = 0.5;

/**
 * Calls `seen` once the element has been in view for this time without a break, in a page that is shown: not one in a
 * tab of the background, and not below the fold. Answers how to stop waiting.
 */
export function whenSeen(element: Element, forMs: number, seen: () => void): () => void {
  let isInView = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restart = () => {
    clearTimeout(timer);
    if (isInView && document.visibilityState === "visible") timer = setTimeout(seen, forMs);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      isInView = (entries.at(-1)?.intersectionRatio ?? 0) >= MIN_VISIBLE_SHARE;
      restart();
    },
    { threshold: MIN_VISIBLE_SHARE },
  );
  observer.observe(element);
  document.addEventListener("visibilitychange", restart);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener("visibilitychange", restart);
  };
}
