"""Files of staged pages, as they are sent."""

from copydesk.contract.models.content_update import ContentWrite
from copydesk.session.page_files import _packed


def test_a_file_goes_with_its_name_and_what_it_is() -> None:
    packed = _packed(["a b.png", "notes"], [b"1", b"2"])
    body = ContentWrite.model_validate({"changes": [packed]}).to_dict()
    assert body["changes"][0]["files"] == [
        {"name": "a b.png", "contentType": "image/png", "base64": "MQ=="},
        {"name": "notes", "contentType": "application/octet-stream", "base64": "Mg=="},
    ]
