"""A story whose narrator weaves an ad's line into the prose. See README.md."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import unicodedata
import uuid

from diegetic import AsyncDiegeticClient, ClientEvent, DiegeticError
from narrator import BEATS, Beat, ScriptedNarrator

GAME_ID = os.environ.get("GAME_ID", "lantern-road-story")
# A narrator needs seconds for a paragraph: its ad may take a little longer than that of an instant scene.
MATCH_BUDGET_MS = 500


async def main(beats: list[Beat], verbose: bool) -> None:
    def show(event: ClientEvent) -> None:
        if verbose:
            print(f"  [{event}]")

    # A stopped story tells its beat to the end, and delivers its impressions.
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    narrator = ScriptedNarrator()
    player, session = os.environ.get("PLAYER", str(uuid.uuid4())), str(uuid.uuid4())
    async with AsyncDiegeticClient(
        base_url=os.environ.get("DIEGETIC_URL", "http://127.0.0.1:8080/api"),
        api_key=os.environ["DIEGETIC_KEY"],
        match_budget_ms=MATCH_BUDGET_MS,
        on_event=show,
    ) as client:
        await enable(client)
        for beat in beats:
            if stopped.is_set():
                break
            match = await client.match(
                {
                    "game_id": GAME_ID,
                    "user_id": player,
                    "session_id": session,
                    "game_context": {
                        "theme_id": "medieval",
                        "category": "text-adventure",
                        "narrative": beat.summary,
                        "location": beat.location,
                        "mood_tags": [beat.mood],
                        "actions": list(beat.actions),
                    },
                }
            )
            hook = plain(match["narrative_hook"]) if match else None
            prose = await narrator.narrate(beat, hook)
            print(f"\n{prose}")
            # A model may leave a line out. Only what the player could read is an impression.
            if match is not None and hook is not None and hook in prose:
                client.record_impression(match)


async def enable(client: AsyncDiegeticClient) -> None:
    """A deployed game does this once, with a key of its own."""
    try:
        await client.api.enable_placement(
            GAME_ID, {"creator_id": "narrative-game", "placement_types": ["narrative_hook"]}
        )
    except DiegeticError as error:
        print(f"The story goes on without ads: {error}")


def plain(hook: str) -> str:
    """Somebody else wrote the line, and a terminal acts on control characters."""
    return "".join(" " if unicodedata.category(one) == "Cc" else one for one in hook)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beats", type=int, default=len(BEATS), help="how much of the story to tell")
    parser.add_argument("--verbose", action="store_true", help="show the client's events")
    options = parser.parse_args()
    if not os.environ.get("DIEGETIC_KEY"):
        parser.exit(2, "Set DIEGETIC_KEY to a key of the service: see README.md.\n")
    asyncio.run(main(BEATS[: options.beats], options.verbose))
