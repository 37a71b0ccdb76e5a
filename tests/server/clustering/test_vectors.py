"""Vectors from outside: a model in a folder, and a command of one's own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copydesk.server.clustering.__main__ import answer
from copydesk.server.clustering.grouping import Issue, find_clusters
from copydesk.server.clustering.vectors import (
    CommandVectors,
    ModelVectors,
    VectorsError,
    vectors_from,
)

WORDS = ["[PAD]", "[UNK]", "invoice", "bill", "webhook", "hook", "login"]
ROWS = [[0, 0, 0], [0, 0, 0], [1, 0, 0], [0.9, 0.1, 0], [0, 1, 0], [0.1, 0.9, 0], [0, 0, 1]]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A static model of five words, in the files of model2vec."""
    from safetensors.numpy import save_file

    tokenizer: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: number for number, word in enumerate(WORDS)},
            "unk_token": "[UNK]",
        },
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    (tmp_path / "config.json").write_text(json.dumps({"normalize": True, "seq_length": 100}))
    save_file({"embeddings": np.array(ROWS, np.float32)}, tmp_path / "model.safetensors")
    return tmp_path


def command(source: str) -> list[str]:
    return [sys.executable, "-c", f"import json, sys\n{source}"]


def test_words_that_mean_alike_are_near(model: Path) -> None:
    invoice, bill, hook = ModelVectors(model).of(["the Invoice", "bill", "hook"])
    assert invoice @ bill > 0.9 > 0.3 > invoice @ hook


@pytest.mark.parametrize("broken", ["tokenizer.json", "config.json", "model.safetensors"])
def test_a_model_that_cannot_be_read_is_told_in_a_sentence(model: Path, broken: str) -> None:
    (model / broken).write_bytes(b"\x00{")
    with pytest.raises(VectorsError, match=r"the model in .* cannot be read"):
        ModelVectors(model).of(["invoice"])
    (model / broken).unlink()
    with pytest.raises(VectorsError, match=r"the model in .* cannot be read"):
        ModelVectors(model).of(["invoice"])


def test_a_folder_that_is_not_there_is_told() -> None:
    with pytest.raises(VectorsError, match="there is no folder nowhere"):
        ModelVectors(Path("nowhere")).of(["invoice"])


def test_a_command_answers_a_line_for_each_text() -> None:
    counting = command(
        "for line in sys.stdin:\n"
        '    print(json.dumps({"vector": [len(json.loads(line)["text"]), 0]}))'
    )
    assert CommandVectors(counting).of(["one", "three"]).tolist() == [[1.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("sys.exit('no model here')", "ended with status 1: no model here"),
        ("print('hello')", "wrote a line that is not"),
        ("print(json.dumps({'vector': [1, 2]}))", "not one for each of 2 texts"),
        ("[print(json.dumps({'vector': ['a']})) for _ in '12']", "not numbers of one length"),
        ("[print(json.dumps({'vector': [0] * n})) for n in (1, 2)]", "not numbers of one length"),
        ("[print('{\"vector\": [NaN]}') for _ in '12']", "no plain vectors"),
    ],
)
def test_a_command_that_fails_is_told_in_a_sentence(source: str, sentence: str) -> None:
    with pytest.raises(VectorsError, match=sentence):
        CommandVectors(command(source)).of(["one", "two"])


def test_a_command_that_is_not_there_is_told() -> None:
    with pytest.raises(VectorsError, match=r"cannot be started: No such file or directory$"):
        CommandVectors(["/nowhere/embed"]).of(["one"])


def test_a_command_ends_with_its_time() -> None:
    with pytest.raises(VectorsError, match=r"took longer than 0\.2 seconds"):
        CommandVectors(command("sys.stdin.read(); import time; time.sleep(60)"), 0.2).of(["one"])


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_command_ends_that_writes_too_much(stream: str) -> None:
    endless = command(f"while True: sys.{stream}.write('x' * 1000)")
    with pytest.raises(VectorsError, match="wrote more than 5,000 bytes"):
        CommandVectors(endless, most=5000).of(["one"])


def test_the_settings_choose() -> None:
    assert vectors_from() is None
    assert isinstance(vectors_from(model="~/model"), ModelVectors)
    assert isinstance(vectors_from(embed=["embed"]), CommandVectors)


def test_vectors_bring_together_what_shares_no_word(model: Path) -> None:
    told = [f"{word} {word[::-1]}{n}" for word in WORDS[2:6] for n in ("x", "y", "z")]
    issues = [Issue(str(number), text) for number, text in enumerate(told)]
    found = find_clusters(issues, ModelVectors(model))
    assert {frozenset(each.issues) for each in found.clusters} == {
        frozenset("012345"),
        frozenset(["6", "7", "8", "9", "10", "11"]),
    }
    assert len(find_clusters(issues).clusters) == 4


def test_the_child_says_why_vectors_cannot_be_had() -> None:
    asked = [{"id": str(number), "text": "invoice"} for number in range(3)]
    settings = {"embed": command("sys.exit('no model here')")}
    assert "no model here" in answer({"do": "find", "issues": asked, "settings": settings})["error"]
