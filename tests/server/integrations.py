"""An integration with everything, and how tests publish and install one."""

from __future__ import annotations

import base64
from typing import Any

import httpx

from tests.world import World

Json = dict[str, Any]

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n....").decode()

WHOLE: Json = {
    "runtime": "v1",
    "icon": PNG,
    "title": "Chart room",
    "description": "Charts in pages",
    "summary": "# Charts\n\nLong.",
    "previewImages": [PNG],
    "visibility": "public",
    "target": "all",
    "scopes": ["space:content:read"],
    "categories": ["analytics", "content"],
    "blocks": [
        {
            "id": "chart",
            "title": "Chart",
            "description": "One chart",
            "icon": "chart",
            "urlUnfurl": ["https://*.Charts.example/**", "https://plots.example:8080/p?x"],
            "markdown": {"codeblock": "chart", "body": "data"},
        }
    ],
    "contentSources": [{"id": "boards", "title": "Boards", "configuration": {"componentId": "c"}}],
    "configurations": {
        "account": {
            "properties": {
                "zone": {"type": "string", "title": "Zone", "default": "eu", "enum": ["eu", "us"]},
                "api_key": {"type": "string", "completion_url": "https://charts.example/keys"},
            },
            "required": [],
        },
        "space": {"properties": {"color": {"type": "string", "default": "blue"}}, "required": []},
        "site": {"properties": {"banner": {"type": "string", "default": "on"}}, "required": []},
    },
    "externalLinks": [{"url": "https://charts.example", "label": "Home"}],
    "script": "export default {}",
    "secrets": {"TOKEN": "hush-hush"},
    "contentSecurityPolicy": "default-src 'self'",
}


async def publish(client: httpx.AsyncClient, world: World, name: str, **fields: Any) -> Json:
    answer = await client.post(
        f"/integrations/{name}", json={"organization": world.home, "visibility": "public"} | fields
    )
    assert answer.status_code == 200, answer.text
    made: Json = answer.json()
    return made


async def install(client: httpx.AsyncClient, name: str, organization: str) -> Json:
    answer = await client.post(
        f"/integrations/{name}/installations", json={"organization": organization}
    )
    assert answer.status_code == 201, answer.text
    made: Json = answer.json()
    return made
