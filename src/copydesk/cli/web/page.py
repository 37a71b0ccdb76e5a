"""The page of a window: the terminal of textual-serve, and nothing of anybody else."""

from __future__ import annotations

import base64
from hashlib import sha256
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from copydesk.server.web_page import HEADERS

STATIC = "/static"

FONT_SIZE = 16

_FONT = f"{STATIC}/fonts/RobotoMono-VariableFont_wght.ttf"

_STYLE = f"""
@font-face{{font-family:"Roboto Mono";src:url("{_FONT}")}}
html,body{{height:100%;margin:0;background:#14171c;color:#d6dae0;overflow:hidden}}
body{{font:16px/1.5 "Roboto Mono",monospace}}
.said{{position:fixed;z-index:1;left:0;right:0;bottom:0;padding:.5rem 1rem;background:#14171c}}
.ended{{display:none;border-top:1px solid}}
body.-first-byte .opens,body.-closed .opens{{display:none}}
body.-closed .ended{{display:block}}
a{{color:#7aa2d6}}
"""

_SCRIPT = """
addEventListener("load", () => document.querySelector(".xterm-helper-textarea").focus());
"""
"""What is typed goes to the terminal, also before it was clicked."""

_SCRIPT_DIGEST = base64.b64encode(sha256(_SCRIPT.encode()).digest()).decode()

_PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>copydesk</title>
<link rel="preload" as="font" type="font/ttf" crossorigin href="{_FONT}">
<link rel="stylesheet" href="{STATIC}/css/xterm.css">
<style>{_STYLE}</style>
<script src="{STATIC}/js/textual.js"></script><script>{_SCRIPT}</script></head>
<body><p class="said opens" id="start">Opening copydesk</p>
<p class="said ended" role="status">This window has ended; what you typed is kept.
<a href="">Open it again</a></p>
<div id="terminal" class="textual-terminal" data-font-size="{FONT_SIZE}"
data-session-websocket-url="SOCKET"></div></body></html>
"""


def window_page(socket: str) -> Response:
    """Return the page of the window that is connected to this socket."""
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        f"script-src 'self' 'sha256-{_SCRIPT_DIGEST}'; font-src 'self'; img-src data:; "
        # The terminal writes styles of its own while it draws.
        f"style-src 'self' 'unsafe-inline'; connect-src {socket}"
    )
    headers = {**HEADERS, "content-security-policy": policy}
    return Response(_PAGE.replace("SOCKET", socket), 200, headers, "text/html")


def static_files() -> StaticFiles:
    """Return what the page loads. Raises ``ImportError`` where textual-serve is not installed."""
    import textual_serve

    return StaticFiles(directory=Path(textual_serve.__file__).parent / "static")
