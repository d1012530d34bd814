import { Text } from "@mantine/core";
import { Scene } from "../../scene/scene.tsx";
import { Story } from "../../scene/story.tsx";
import classes from "./entrance.module.css";

/** What the product does, in one picture. */
export default function EntranceStory() {
  return (
    <div className={classes.picture}>
      <Scene
        pipeline={{
          location: "tavern",
          lighting: "warm",
          effects: "rain, embers",
          mood: "calm",
        }}
      >
        <Story
          before="Rain drums on the roof of the tavern. Across the table, the scout unrolls a map and waits for you to speak."
          line="The innkeeper sets down a steaming cup of Emberroast and nods toward the fire."
          payer="Emberroast Coffee"
          after="“Drink first,” she says. “Then tell me about the road.”"
        />
      </Scene>
      <Text c="dimmed" mt="md" ta="center">
        Ads as part of a game's own story. Advertisers pay for lines that players have seen; the game earns a
        share.
      </Text>
    </div>
  );
}
