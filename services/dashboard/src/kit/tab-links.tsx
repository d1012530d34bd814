import { Link, useLocation } from "react-router";
import classes from "./tab-links.module.css";

const MARGIN_PX = 24;

interface TabLinksProps {
  /** What the tabs are, for screen readers. */
  label: string;
  /** The page that the tabs belong to. */
  base: string;
  /** Each with its path below the page; the empty one is the page itself. */
  tabs: readonly { path: string; label: string }[];
}

/** The tabs of a page, each a page of its own in the address. */
export function TabLinks({ label, base, tabs }: TabLinksProps) {
  const { pathname } = useLocation();
  return (
    <nav className={classes.tabs} aria-label={label}>
      {tabs.map(({ path, label: text }) => {
        const to = path === "" ? base : `${base}/${path}`;
        return (
          <Link
            key={path}
            to={to}
            {...(pathname === to && { "aria-current": "page" as const, ref: bringIntoView })}
          >
            {text}
          </Link>
        );
      })}
    </nav>
  );
}

/** On a phone the tabs are wider than the window. */
function bringIntoView(tab: HTMLAnchorElement | null) {
  const row = tab?.parentElement;
  if (tab && row) row.scrollTo({ left: tab.offsetLeft - row.offsetLeft - MARGIN_PX });
}
