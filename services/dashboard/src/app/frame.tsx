import { AppShell, Burger, Button, Group, Modal, NavLink, ScrollArea, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type MouseEvent, useEffect, useRef } from "react";
import {
  Link,
  type Location,
  Navigate,
  Outlet,
  ScrollRestoration,
  useLocation,
  useNavigation,
} from "react-router";
import { sessionQuery } from "../api/session.ts";
import { areas } from "../areas/areas.ts";
import { Brand } from "../kit/brand.tsx";
import { Loading } from "../kit/loading.tsx";
import { Failed } from "../kit/states.tsx";
import { useIsPhone } from "../kit/use-is-phone.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Balance } from "./balance.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import classes from "./frame.module.css";
import { otherAccountQuery } from "./query-client.ts";

/** Everything around the pages of signed-in people. Who is not signed in is sent to sign in, and comes back afterwards. */
export function Frame() {
  const session = useQuery(sessionQuery);
  const { pathname, search } = useLocation();
  const wasSignedIn = useRef(false);
  useEffect(() => {
    if (session.data) wasSignedIn.current = true;
  }, [session.data]);
  if (session.data === undefined) {
    if (session.error) {
      return <Failed what="Your session could not be loaded." read={session} />;
    }
    return <Loading />;
  }
  if (session.data === null) {
    const here = `${pathname}${search}`;
    return (
      <Navigate
        to={here === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(here)}`}
        state={{ hasEnded: wasSignedIn.current }}
        replace
      />
    );
  }
  const { account, user } = session.data;
  return <SignedInFrame accountId={account.id} isOperator={user.is_operator} />;
}

/** Of the current entry from the ends of the view, where entries fade. */
const ENTRY_MARGIN = 32;

function SignedInFrame({ accountId, isOperator }: { accountId: string; isOperator: boolean }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const isPhone = useIsPhone();
  const coversPage = isPhone && isOpen;
  const burger = useRef<HTMLButtonElement>(null);
  const { pathname } = useLocation();
  const navigation = useNavigation();
  useEffect(close, [pathname]);
  // The path does not change by a link to the page that is shown.
  const closeByLink = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest("a")) close();
  };
  const closeByEscape = ({ key, target, currentTarget }: KeyboardEvent) => {
    // What opens above the navigation, such as the account menu, closes by itself.
    if (!coversPage || key !== "Escape" || !currentTarget.contains(target as Node)) return;
    close();
    burger.current?.focus();
  };
  useFocusOnNewPage(pathname);
  const entriesView = useRef<HTMLDivElement>(null);
  useEffect(() => {
    showCurrentEntry(entriesView.current);
  }, [pathname, isOpen]);
  const shown = areas.filter(
    (area) => area.navigation.length > 0 && (isOperator || area.isForOperators !== true),
  );
  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 240, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      onKeyDown={closeByEscape}
    >
      <a href="#content" className={classes.skip}>
        Skip to the content
      </a>
      <ScrollRestoration getKey={scrollKeyOf} />
      <AppShell.Header hiddenFrom="sm" className={classes.header ?? ""}>
        <Group h="100%" px="md" gap="sm">
          <Burger
            ref={burger}
            opened={isOpen}
            onClick={toggle}
            size="sm"
            aria-label="Navigation"
            aria-expanded={isOpen}
          />
          <Brand />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.navbar ?? ""}
        aria-label="Main"
        inert={isPhone && !isOpen}
        onClick={closeByLink}
      >
        <AppShell.Section p="md" visibleFrom="sm">
          <Link to="/" className={classes.brand}>
            <Brand />
          </Link>
        </AppShell.Section>
        <AppShell.Section
          grow
          component={ScrollArea}
          type="auto"
          scrollbarSize={8}
          viewportRef={entriesView}
          px="sm"
          pt={{ base: "sm", sm: 0 }}
        >
          {shown.map(({ label, navigation: entries }) => (
            <div key={label} className={classes.group}>
              <Text fz="xs" c="dimmed" px={12} mb={4} id={`navigation-${label}`}>
                {label}
              </Text>
              <ul aria-labelledby={`navigation-${label}`}>
                {entries.map(({ to, label: entryLabel, icon: EntryIcon, isExact }) => {
                  const isHere = isExact ? pathname === to : pathname === to || pathname.startsWith(`${to}/`);
                  return (
                    <li key={to}>
                      <NavLink
                        component={Link}
                        to={to}
                        label={entryLabel}
                        active={isHere}
                        {...(isHere && { "aria-current": "page" as const })}
                        leftSection={<EntryIcon size={18} aria-hidden="true" />}
                        className={classes.entry ?? ""}
                      />
                    </li>
                  );
                })}
              </ul>
            </div>
          ))}
          <div className={classes.fade} />
        </AppShell.Section>
        <AppShell.Section className={classes.foot ?? ""}>
          <Balance />
          <AccountMenu />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main
        id="content"
        tabIndex={-1}
        inert={coversPage}
        aria-busy={navigation.state === "loading"}
        className={classes.main ?? ""}
      >
        {navigation.state === "loading" && <div className={classes.progress} />}
        <ConnectionNotice />
        {/* What is typed for one account must not be sent, or kept, for another. */}
        <Outlet key={accountId} />
        <OtherAccount />
      </AppShell.Main>
    </AppShell>
  );
}

/** A page that was opened by its address has the key of every other one: it would begin where that was scrolled to. */
function scrollKeyOf({ key, pathname }: Location): string {
  return key === "default" ? pathname : key;
}

/** Scrolls the entries of the navigation until the current one is in view; nothing else moves. */
function showCurrentEntry(view: HTMLElement | null) {
  const entry = view?.querySelector("[aria-current]");
  if (!view || !entry) return;
  const { top, bottom } = view.getBoundingClientRect();
  const place = entry.getBoundingClientRect();
  if (place.bottom > bottom - ENTRY_MARGIN) view.scrollTop += place.bottom - bottom + ENTRY_MARGIN;
  else if (place.top < top + ENTRY_MARGIN) view.scrollTop += place.top - top - ENTRY_MARGIN;
}

/**
 * Moves the focus to the heading of a page that was opened from another one, so that screen readers announce it and the
 * keyboard goes on from there. A control of the page that is still there (a tab) keeps it, and so does a dialog.
 */
function useFocusOnNewPage(pathname: string) {
  const former = useRef(pathname);
  useEffect(() => {
    if (former.current === pathname) return;
    former.current = pathname;
    const main = document.getElementById("content");
    const focused = document.activeElement;
    const isKept = focused !== main && main?.contains(focused);
    if (isKept || document.querySelector('[role="dialog"]') !== null) return;
    const target = main?.querySelector<HTMLElement>("h1") ?? main;
    if (target?.tagName === "H1") target.tabIndex = -1;
    // Where the page is scrolled to is restored by the router.
    target?.focus({ preventScroll: true });
  }, [pathname]);
}

/** Covers a page whose account is not the one that the session acts for any more: nothing on it can be trusted or sent. */
function OtherAccount() {
  const { data: isOther } = useQuery(otherAccountQuery);
  return (
    <Modal
      opened={isOther}
      onClose={() => location.reload()}
      title="Your account has changed"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Text mb="md">
        You switched accounts in another tab, or you have no access to this one any more. Nothing was changed.
      </Text>
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </Modal>
  );
}
