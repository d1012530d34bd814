import { Group, Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import {
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSettings,
  IconSun,
} from "@tabler/icons-react";
import { Link, useNavigate } from "react-router";
import { outcomeOf } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import { readSessionAfter, useSession, useSessionChange } from "../api/session.ts";
import { notifyFailed } from "../kit/notify.ts";
import classes from "./account-menu.module.css";

const SCHEMES = [
  { value: "auto", label: "System theme", icon: IconDeviceDesktop },
  { value: "light", label: "Light theme", icon: IconSun },
  { value: "dark", label: "Dark theme", icon: IconMoon },
] as const;

/** Who is signed in: other accounts, the theme, sign out. */
export function AccountMenu() {
  const session = useSession();
  const changeSession = useSessionChange();
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();

  const switchTo = async (accountId: string) => {
    try {
      changeSession(await call("PATCH /session", { body: { account_id: accountId } }));
      await navigate("/");
    } catch (error) {
      const next = await readSessionAfter(error);
      if (next) changeSession(next);
      if (next?.account.id === accountId) await navigate("/");
      else {
        const failure = next ? error : outcomeOf(error);
        notifyFailed("The account was not switched.", failure, "the account was switched");
      }
    }
  };
  const signOut = async () => {
    try {
      await call("POST /auth/sign-out");
    } catch (error) {
      const session = await readSessionAfter(error);
      if (session !== null) {
        if (session) changeSession(session);
        notifyFailed("You are still signed in.", session ? error : outcomeOf(error), "you were signed out");
        return;
      }
    }
    // A new page keeps nothing of what was shown.
    location.assign("/sign-in");
  };
  return (
    <Menu position="top-start" width={224} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.target ?? ""}>
          <Group justify="space-between" wrap="nowrap">
            <div className={classes.names}>
              <span className="sr-only">Account menu: </span>
              <Text fw={600} truncate>
                {session.account.label}
              </Text>
              {/* The account of a person alone has their name. */}
              {session.user.name !== session.account.label && (
                <Text fz="xs" c="dimmed" truncate>
                  {session.user.name}
                </Text>
              )}
            </div>
            <IconSelector size={16} style={{ flex: "none" }} aria-hidden="true" />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {session.accounts.length > 1 && (
          <>
            <Menu.Label>Accounts</Menu.Label>
            {session.accounts.map(({ id, label, role }) => (
              <Menu.Item
                key={id}
                onClick={() => void switchTo(id)}
                disabled={id === session.account.id}
                rightSection={id === session.account.id ? <IconCheck size={14} /> : null}
              >
                {label} ({role})
              </Menu.Item>
            ))}
            <Menu.Divider />
          </>
        )}
        <Menu.Item component={Link} to="/account" leftSection={<IconSettings size={16} />}>
          Account settings
        </Menu.Item>
        <Menu.Divider />
        {SCHEMES.map(({ value, label, icon: SchemeIcon }) => (
          <Menu.Item
            key={value}
            onClick={() => setColorScheme(value)}
            leftSection={<SchemeIcon size={16} />}
            rightSection={colorScheme === value ? <IconCheck size={14} /> : null}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()} leftSection={<IconLogout size={16} />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
