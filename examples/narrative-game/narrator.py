"""A narrator with the interface of a language model. This one is scripted, so that the story runs offline."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Optional

PROMPT = """You tell a story in the second person, present tense, two or three sentences.
Scene: {summary} Mood: {mood}.
{hook}"""
HOOK_PROMPT = "Weave this sentence in, word for word, where it belongs: {hook}"


@dataclass(frozen=True)
class Beat:
    """One step of the story. `before` and `after` are what the scripted narrator says around the seam."""

    location: str
    mood: str
    actions: tuple[str, ...]
    summary: str
    before: str
    after: str


BEATS = [
    Beat(
        "road", "tense", ("walk",), "The player walks a dark road in the rain.",
        "The road is mud, and the rain has found your collar.",
        "Far ahead a window glows.",
    ),
    Beat(
        "tavern", "calm", ("drink", "talk"), "The player reaches a tavern and sits by the fire.",
        "You push the tavern door open, and warmth takes the breath from you.",
        "Nobody asks your name. By the fire, a chair is free.",
    ),
    Beat(
        "tavern", "cosy", ("talk",), "An old guard tells the player of the keep.",
        "An old guard moves his chair closer.",
        '"The keep has had no lord for a year," he says. "But at night there is light."',
    ),
    Beat(
        "market", "lively", ("trade",), "In the morning the player buys provisions.",
        "Morning, and the square is full of voices.",
        "You count your coins twice and buy rope.",
    ),
    Beat(
        "keep", "tense", ("sneak",), "The player enters the keep.",
        "The gate of the keep stands open by a hand's breadth.",
        "You draw it wider, and go in.",
    ),
]


def prompt_for(beat: Beat, hook: Optional[str]) -> str:
    """What a model would be asked."""
    wish = HOOK_PROMPT.format(hook=hook) if hook else ""
    return PROMPT.format(summary=beat.summary, mood=beat.mood, hook=wish).strip()


class ScriptedNarrator:
    """Replace `narrate` by a call of a model with `prompt_for(beat, hook)`."""

    async def narrate(self, beat: Beat, hook: Optional[str]) -> str:
        await asyncio.sleep(0)
        return " ".join(sentence for sentence in (beat.before, hook, beat.after) if sentence)
