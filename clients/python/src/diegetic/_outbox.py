from __future__ import annotations

import contextlib
import json
import math
import os
import weakref
from typing import IO, Any, Optional, Protocol, TypedDict, TypeGuard

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

DEFAULT_CAPACITY = 10_000
# Finished lines that may stand in the file before it is rewritten.
_MAX_FINISHED_LINES = 1_000


class OutboxEntry(TypedDict):
    """An impression that waits for its final answer."""

    match_id: str
    campaign_id: str
    creative_id: str
    game_id: str
    recorded_at_ms: int
    """Unix milliseconds. The service bills a match for a day by default, for a week at most."""


class Outbox(Protocol):
    """Where impressions wait. Implement it to keep them elsewhere."""

    capacity: int
    """Maximum entries; beyond it the client accepts no new impression."""
    is_durable: bool
    """Whether entries survive the process."""

    def load(self) -> list[OutboxEntry]:
        """Entries of an earlier process, oldest first. Called once, before anything else."""

    def add(self, entry: OutboxEntry) -> None:
        """Keeps the entry before it returns. Raises when it cannot."""

    def remove(self, match_id: str) -> None:
        """Forgets the entry: it has its final answer. Raises when it cannot."""

    def close(self) -> None: ...


def _checked_capacity(capacity: int) -> int:
    if isinstance(capacity, int) and capacity > 0:
        return capacity
    raise ValueError(f"capacity must be a whole number above 0, not {capacity}")


class MemoryOutbox:
    """Impressions are lost with the process."""

    is_durable = False

    def __init__(self, *, capacity: int = DEFAULT_CAPACITY) -> None:
        self.capacity = _checked_capacity(capacity)

    # The client holds what it sends; nothing else is to keep.
    def load(self) -> list[OutboxEntry]:
        return []

    def add(self, entry: OutboxEntry) -> None:
        pass

    def remove(self, match_id: str) -> None:
        pass

    def close(self) -> None:
        pass


class FileOutbox:
    """Impressions survive the process, in a file of JSON lines that is appended to and rewritten when mostly finished.

    One file per process: a forked child cannot write it. Raises OSError when the file cannot be written or another process uses it. `fsync` also
    survives a crash of the machine; each impression then waits for the disk.
    """

    is_durable = True

    def __init__(self, path: str | os.PathLike[str], *, capacity: int = DEFAULT_CAPACITY, fsync: bool = False) -> None:
        self.capacity = _checked_capacity(capacity)
        self._path = os.path.abspath(path)
        self._fsync = fsync
        self._pid = os.getpid()
        self._lock = _lock(self._path)
        _open.add(self)
        self._finished_lines = 0
        # A write failed: the file may end within a line, or lack entries.
        self._is_damaged = False
        # A crash of the machine may bring back the file that was replaced.
        self._is_folder_synced = False
        # None when the file could not be opened again after it was replaced.
        self._file: Optional[IO[bytes]] = None
        try:
            self._entries = _read_entries(self._path)
            self._rewrite()
        except BaseException:
            with contextlib.suppress(OSError):
                self.close()
            raise

    def load(self) -> list[OutboxEntry]:
        return list(self._entries.values())

    def add(self, entry: OutboxEntry) -> None:
        self._entries[entry["match_id"]] = entry
        self._append({"add": entry})

    def remove(self, match_id: str) -> None:
        if self._entries.pop(match_id, None) is None:
            return
        self._finished_lines += 2
        self._append({"remove": match_id})
        if self._finished_lines > max(_MAX_FINISHED_LINES, len(self._entries)):
            self._rewrite()

    def close(self) -> None:
        try:
            self._close_file()
        finally:
            self._lock.close()

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _append(self, line: dict[str, Any]) -> None:
        self._ensure_own()
        was_damaged, self._is_damaged = self._is_damaged, True
        text = (b"\n" if was_damaged else b"") + _encoded(line)
        if self._file is None:
            self._file = self._opened()
        while text:
            text = text[self._file.write(text) :]
        if self._fsync:
            os.fsync(self._file.fileno())
        if was_damaged:
            self._rewrite()
        else:
            self._is_damaged = False
        self._sync_folder()

    def _rewrite(self) -> None:
        """Replaces the file in one step and opens it for appending."""
        self._ensure_own()
        self._is_damaged = True
        following = f"{self._path}.next"
        try:
            with open(following, "wb") as file:
                for entry in self._entries.values():
                    file.write(_encoded({"add": entry}))
                file.flush()
                if self._fsync:
                    os.fsync(file.fileno())
            # Windows replaces no open file.
            self._close_file()
            os.replace(following, self._path)
        except OSError:
            with contextlib.suppress(OSError):
                os.remove(following)
            raise
        self._finished_lines = 0
        self._is_damaged = False
        self._is_folder_synced = False
        self._file = self._opened()
        self._sync_folder()

    def _sync_folder(self) -> None:
        if self._fsync and not self._is_folder_synced:
            _sync_folder(os.path.dirname(self._path))
            self._is_folder_synced = True

    def _ensure_own(self) -> None:
        if os.getpid() != self._pid:
            raise OSError(f"{self._path} belongs to the parent process; create an outbox after the fork")
        if self._lock.closed:
            raise OSError(f"{self._path} is closed")

    def _opened(self) -> IO[bytes]:
        return open(self._path, "ab", buffering=0)


_open: weakref.WeakSet[FileOutbox] = weakref.WeakSet()


def _leave_to_parent() -> None:
    """A forked child has the parent's lock, too, and would keep it after the parent's end."""
    for outbox in list(_open):
        outbox._lock.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


def _sync_folder(path: str) -> None:
    """Keeps the new name of a file when the machine crashes. Windows has no such call."""
    if os.name == "nt":
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _encoded(line: dict[str, Any]) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def _read_entries(path: str) -> dict[str, OutboxEntry]:
    entries: dict[str, OutboxEntry] = {}
    if not os.path.exists(path):
        return entries
    with open(path, "rb") as file:
        for text in file:
            line = _parsed(text)
            added = line.get("add")
            if _is_entry(added):
                entries[added["match_id"]] = added
            elif isinstance(line.get("remove"), str):
                entries.pop(line["remove"], None)
    return entries


def _is_entry(added: Any) -> TypeGuard[OutboxEntry]:
    return (
        isinstance(added, dict)
        and all(isinstance(added.get(name), str) for name in ("match_id", "campaign_id", "creative_id", "game_id"))
        and _is_finite(added.get("recorded_at_ms"))
    )


def _is_finite(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _parsed(text: bytes) -> dict[str, Any]:
    """Empty for a line that a crash cut off, or that is something else."""
    try:
        line = json.loads(text)
    except ValueError:
        return {}
    return line if isinstance(line, dict) else {}


def _lock(path: str) -> IO[bytes]:
    """Two processes on one file would overwrite each other's impressions. The lock ends with the process."""
    file = open(f"{path}.lock", "wb")
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            getattr(msvcrt, "locking")(file.fileno(), getattr(msvcrt, "LK_NBLCK"), 1)
    except OSError as error:
        file.close()
        raise OSError(f"{path} is used by another process; give each process a file of its own") from error
    return file
