"""Vectors of texts from outside: a model in a folder, or a command of one's own.

Without either, texts are compared by their words and letters (see `grouping`).
"""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from copydesk.server.clustering.process import environment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COMMAND_SECONDS = 600.0
"""How long a command may take for all texts."""

MOST_WRITTEN = 400_000_000
"""How many bytes a command may write."""


class VectorsError(Exception):
    """Vectors that cannot be had, said in a sentence."""


class Vectors(Protocol):
    """What makes vectors of texts: near ones mean alike."""

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each text, of length one; raises `VectorsError`."""


class CommandVectors:
    """A command: it reads ``{"text": …}`` and writes ``{"vector": […]}``, a line for each text."""

    def __init__(
        self, command: Sequence[str], seconds: float = COMMAND_SECONDS, most: int = MOST_WRITTEN
    ) -> None:
        self._command = list(command)
        self._seconds = seconds
        self._most = most

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return what the command answers; raises `VectorsError`."""
        name = self._command[0]
        try:
            status, written, complaint = asyncio.run(self._run(texts))
        except TimeoutError:
            raise VectorsError(
                f"the command {name!r} for vectors took longer than {self._seconds:g} seconds"
            ) from None
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or error
            raise VectorsError(
                f"the command {name!r} for vectors cannot be started: {said}"
            ) from None
        if max(len(written), len(complaint)) > self._most:
            raise VectorsError(
                f"the command {name!r} for vectors wrote more than {self._most:,} bytes"
            )
        if status:
            said = (complaint.decode(errors="replace").strip().splitlines() or ["it said nothing"])[
                -1
            ][:200]
            raise VectorsError(
                f"the command {name!r} for vectors ended with status {status}: {said}"
            )
        try:
            rows = [json.loads(line)["vector"] for line in written.split(b"\n") if line.strip()]
        except (ValueError, TypeError, KeyError):
            raise VectorsError(
                f'the command {name!r} for vectors wrote a line that is not {{"vector": […]}}'
            ) from None
        return _checked(rows, len(texts), f"the command {name!r}")

    async def _run(self, texts: Sequence[str]) -> tuple[int, bytes, bytes]:
        """Run the command; it is ended with its time, and when it writes too much."""
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(),
        )
        try:
            async with asyncio.timeout(self._seconds):
                _, written, complaint = await asyncio.gather(
                    _feed(process, lines.encode()),
                    self._read(process, process.stdout),
                    self._read(process, process.stderr),
                )
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise
        return process.returncode or 0, written, complaint

    async def _read(self, process: Process, stream: asyncio.StreamReader | None) -> bytes:
        """Return what the command writes, at most a little too much."""
        written = bytearray()
        while stream is not None and (piece := await stream.read(2**16)):
            if len(written) <= self._most:
                written += piece
                if len(written) > self._most:
                    with suppress(ProcessLookupError):
                        process.kill()
        return bytes(written)


async def _feed(process: Process, lines: bytes) -> None:
    if process.stdin is not None:
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(lines)
            await process.stdin.drain()
        process.stdin.close()


class ModelVectors:
    """A static model in model2vec's format: a folder of a tokenizer, embeddings and settings."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return what the model makes of each text; raises `VectorsError`."""
        if not self._folder.is_dir():
            raise VectorsError(f"there is no folder {self._folder} with a model of vectors")
        try:
            from model2vec import StaticModel
        except ImportError:
            raise VectorsError(
                "a model of vectors needs the package model2vec: pip install 'copydesk[vectors]'"
            ) from None
        try:
            rows = StaticModel.from_pretrained(self._folder).encode(list(texts))
        except Exception as error:
            # What reads the tokenizer raises nothing more exact.
            raise VectorsError(f"the model in {self._folder} cannot be read: {error}") from error
        return _checked(rows, len(texts), f"the model in {self._folder}")


def _checked(rows: object, count: int, source: str) -> NDArray[np.float32]:
    import numpy as np

    try:
        found = np.asarray(rows, dtype=np.float32)
    except (ValueError, TypeError):
        raise VectorsError(f"{source} gave vectors that are not numbers of one length") from None
    if found.ndim != 2 or len(found) != count or not np.isfinite(found).all():
        raise VectorsError(f"{source} gave no plain vectors, or not one for each of {count} texts")
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found / np.maximum(lengths, 1e-9), dtype=np.float32)


def vectors_from(model: str = "", embed: Sequence[str] = ()) -> Vectors | None:
    """Return what the settings ask for; None for words and letters alone."""
    if embed:
        return CommandVectors(embed)
    return ModelVectors(Path(model)) if model else None
