"""Files of staged pages, as they are sent."""

from pathlib import Path

from copydesk.contract.models.content_update import ContentWrite
from copydesk.session.page_files import PickedFile, _packed, keep


def test_a_file_goes_with_its_name_and_what_it_is() -> None:
    packed = _packed(["a b.png", "notes"], [b"1", b"2"])
    body = ContentWrite.model_validate({"changes": [packed]}).to_dict()
    assert body["changes"][0]["files"] == [
        {"name": "a b.png", "contentType": "image/png", "base64": "MQ=="},
        {"name": "notes", "contentType": "application/octet-stream", "base64": "Mg=="},
    ]


def test_another_file_of_a_name_is_kept_under_one_with_a_number(tmp_path: Path) -> None:
    names = [
        keep(tmp_path, PickedFile(name, data, None))
        for name, data in [("v1.2.png", b"1"), ("v1.2.png", b"2"), ("v1.2.png", b"2"),
                           ("v1.2.png", b"3"), ("notes", b"4"), ("notes", b"5")]
    ]  # fmt: skip
    assert names == ["v1.2.png", "v1.2-2.png", "v1.2-2.png", "v1.2-3.png", "notes", "notes-2"]
    assert (tmp_path / "v1.2-3.png").read_bytes() == b"3"
