/** The game itself. It knows nothing of ads. */
const rooms = {
  gate: {
    text: "Two lanterns burn at the gate of the keep. A path leads north to the tavern.",
    location: "gate",
    moods: ["tense"],
    exits: { north: "tavern" },
  },
  tavern: {
    text: "The tavern is loud and warm. The innkeeper wipes a mug. Doors lead south and east.",
    location: "tavern",
    moods: ["calm", "cosy"],
    exits: { south: "gate", east: "market" },
  },
  market: {
    text: "The market is closing. A trader folds cloth. The tavern is west.",
    location: "market",
    moods: ["lively"],
    exits: { west: "tavern" },
  },
};

const answers = {
  talk: "You exchange a few words. Rain is coming, they say.",
  drink: "You drink. It helps against the cold.",
  trade: "You turn a coin in your fingers and keep it.",
};

const HELP = "Commands: go north|south|east|west, look, talk, drink, trade, quit.";

export class Adventure {
  #room = rooms.gate;

  look() {
    return this.#scene(this.#room.text, []);
  }

  /** The scene after a command; null when the player quits. `isNew` is false where nothing happened. */
  perform(line) {
    const [verb = "", object = ""] = line.trim().toLowerCase().split(/\s+/);
    if (verb === "quit") return null;
    if (verb === "look") return this.look();
    if (verb === "go") return this.#go(object);
    if (Object.hasOwn(answers, verb)) return this.#scene(answers[verb], [verb]);
    return { ...this.#scene(HELP, []), isNew: false };
  }

  #go(direction) {
    const next = Object.hasOwn(this.#room.exits, direction) ? this.#room.exits[direction] : undefined;
    if (next === undefined) return { ...this.#scene("There is no way there.", []), isNew: false };
    this.#room = rooms[next];
    return this.look();
  }

  #scene(text, actions) {
    const { location, moods } = this.#room;
    return { text, location, moods, actions, isNew: true };
  }
}
