"""`recorder.py URL OUTBOX NAME`: records impressions and prints each id that is accepted. `deliver` as NAME: sends what is left."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from diegetic import DiegeticClient, FileOutbox  # noqa: E402

MAX_IMPRESSIONS = 5_000
DELIVERY_TIMEOUT_MS = 120_000


def main() -> None:
    base_url, path, name = sys.argv[1:]
    client = DiegeticClient(base_url=base_url, api_key="test-key", outbox=FileOutbox(path))
    if name == "deliver":
        os.write(1, b"%d\n" % client.close(timeout_ms=DELIVERY_TIMEOUT_MS))
        return
    for index in range(MAX_IMPRESSIONS):
        match_id = f"{name}-{index}"
        match: Any = {"match_id": match_id, "campaign_id": "c", "creative_id": "r", "game_id": "g"}
        if client.record_impression(match):
            os.write(1, f"{match_id}\n".encode())
        time.sleep(0.001)


main()
