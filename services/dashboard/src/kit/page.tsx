import { Anchor, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import { type ReactNode, useEffect } from "react";
import { Link } from "react-router";
import classes from "./page.module.css";

interface PageProps {
  title: string;
  /** The state of the thing that the page shows. */
  state?: ReactNode;
  /** One line below the title; null: not known yet, its place is kept. */
  about?: ReactNode;
  /** The one primary action, after less important ones. */
  actions?: ReactNode;
  back?: { to: string; label: string };
  children: ReactNode;
}

/** A page inside the frame: its head, then its content. */
export function Page({ title, state, about, actions, back, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Diegetic`;
  }, [title]);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <Stack gap={4} miw={0}>
          {back && (
            <Anchor component={Link} to={back.to} fz="xs" c="dimmed" className={classes.back ?? ""}>
              <IconChevronLeft size={14} aria-hidden="true" />
              {back.label}
            </Anchor>
          )}
          <Group gap="md">
            <Title order={1}>{title}</Title>
            {state}
          </Group>
          {(about || about === null) && (
            <Text c="dimmed" component="div">
              {about ?? <Skeleton height={12} width={200} my={4} />}
            </Text>
          )}
        </Stack>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      <Stack gap="lg">{children}</Stack>
    </div>
  );
}

interface SectionProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page under a heading of its own. */
export function Section({ title, about, actions, children }: SectionProps) {
  return (
    <section>
      <Group justify="space-between" align="flex-end" mb="sm" gap="sm">
        <Stack gap={2} className={classes.section ?? ""}>
          <Title order={2}>{title}</Title>
          {about && (
            <Text c="dimmed" maw={720}>
              {about}
            </Text>
          )}
        </Stack>
        {actions}
      </Group>
      {children}
    </section>
  );
}
