import { Button, Menu } from "@mantine/core";
import { IconCheck, IconChevronDown } from "@tabler/icons-react";
import { Link, useLocation } from "react-router";
import classes from "./tab-links.module.css";
import { useIsPhone } from "./use-is-phone.ts";

interface TabLinksProps {
  /** What the tabs are, for screen readers. */
  label: string;
  /** The page that the tabs belong to. */
  base: string;
  /** Each with its path below the page; the empty one is the page itself. */
  tabs: readonly { path: string; label: string }[];
  /** Parameters of the address that mean the same in every tab: they stay at a change of tab. */
  kept?: readonly string[];
}

/**
 * The tabs of a page, each a page of its own in the address; on a phone a menu, which shows how many there are. What stands
 * above them stays where it is: a change of tab does not scroll.
 */
export function TabLinks({ label, base, tabs, kept = [] }: TabLinksProps) {
  const { pathname, search } = useLocation();
  const isPhone = useIsPhone();
  const query = `${new URLSearchParams([...new URLSearchParams(search)].filter(([name]) => kept.includes(name)))}`;
  const links = tabs.map(({ path, label: text }) => {
    const address = path === "" ? base : `${base}/${path}`;
    return {
      to: query === "" ? address : `${address}?${query}`,
      text,
      isCurrent: pathname === address,
    };
  });
  if (isPhone) {
    const current = links.find(({ isCurrent }) => isCurrent);
    return (
      <nav className={classes.menu} aria-label={label}>
        {/* What still loads above may move the button out of sight: the list under the reader's finger stays. */}
        <Menu width="target" loop withInitialFocusPlaceholder={false} hideDetached={false}>
          <Menu.Target>
            <Button
              variant="default"
              fullWidth
              justify="space-between"
              rightSection={<IconChevronDown size={16} />}
            >
              {current?.text ?? label}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {links.map(({ to, text, isCurrent }) => (
              <Menu.Item
                key={to}
                component={Link}
                to={to}
                rightSection={isCurrent && <IconCheck size={16} />}
                {...(isCurrent && { "aria-current": "page" as const, fw: 600 })}
              >
                {text}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </nav>
    );
  }
  return (
    <nav className={classes.tabs} aria-label={label}>
      {links.map(({ to, text, isCurrent }) => (
        <Link key={to} to={to} preventScrollReset {...(isCurrent && { "aria-current": "page" as const })}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
