import { Stack, Text, Title } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { Brand } from "../../kit/brand.tsx";
import classes from "./entrance.module.css";

const Story = lazy(() => import("./entrance-story.tsx"));

interface EntranceProps {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}

/** The pages before anybody is signed in: a form beside a scene. */
export function Entrance({ title, about, children }: EntranceProps) {
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = `${title} · Diegetic`;
    // On a touch screen this would open the keyboard over the page.
    if (matchMedia("(pointer: fine)").matches) fields.current?.querySelector("input")?.focus();
  }, [title]);
  return (
    <div className={classes.entrance}>
      <main className={classes.form}>
        <Brand />
        <Stack gap="md" className={classes.fields ?? ""} ref={fields}>
          <div>
            <Title order={1}>{title}</Title>
            {about && (
              <Text c="dimmed" mt={4}>
                {about}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </main>
      <aside className={classes.story} aria-label="An example of an ad in a game">
        <Suspense>
          <Story />
        </Suspense>
      </aside>
    </div>
  );
}
