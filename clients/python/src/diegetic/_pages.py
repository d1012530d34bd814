from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Optional
from urllib.parse import parse_qs

from ._calls import AsyncCalls, AsyncPages, Calls, Pages
from ._errors import DiegeticError
from ._transport import Answer


class ApiPages(Pages):
    def __init__(self, api: Calls) -> None:
        self._api = api

    def _read(self, path: str, query: dict[str, Any], retry_for_ms: float) -> Iterator[Any]:
        next_query = _cursors(path, query)
        following: Optional[dict[str, Any]] = query
        while following is not None:
            answer = self._api._call("GET", path, following, None, None, False, retry_for_ms)
            yield answer.body
            following = next_query(answer)


class AsyncApiPages(AsyncPages):
    def __init__(self, api: AsyncCalls) -> None:
        self._api = api

    async def _read(self, path: str, query: dict[str, Any], retry_for_ms: float) -> AsyncIterator[Any]:
        next_query = _cursors(path, query)
        following: Optional[dict[str, Any]] = query
        while following is not None:
            answer = await self._api._call("GET", path, following, None, None, False, retry_for_ms)
            yield answer.body
            following = next_query(answer)


def _cursors(path: str, query: dict[str, Any]) -> Callable[[Answer], Optional[dict[str, Any]]]:
    """A function from a page to the query of the next one, None after the last. It raises where the pages do not end."""
    cursors = {query["cursor"]}

    def next_query(answer: Answer) -> Optional[dict[str, Any]]:
        cursor = _next_cursor(answer)
        if cursor is None:
            return None
        if cursor in cursors:
            detail = f"The cursor {cursor} came twice: the pages do not end"
            raise DiegeticError(f"GET {path}", answer.status, detail)
        cursors.add(cursor)
        return {**query, "cursor": cursor}

    return next_query


def _next_cursor(answer: Answer) -> Optional[str]:
    """That of the header Link; None on the last page."""
    link = re.fullmatch('<[^>?]+[?]([^>]+)>; rel="next"', answer.headers.get("link", ""))
    return None if link is None else next(iter(parse_qs(link[1]).get("cursor", [])), None)
