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

ASK_MILLISECONDS = 5000
"""How often a page asks whether its server is there, and after how long it says that it is not."""

_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Cpath fill='%237aa2d6' d='M2 1h12v14H2z'/%3E"
    "%3Cpath stroke='%2314171c' stroke-width='2' d='M4 5h8M4 8h8M4 11h5'/%3E%3C/svg%3E"
)

_FONT = f"{STATIC}/fonts/RobotoMono-VariableFont_wght.ttf"

_STYLE = f"""
@font-face{{font-family:"Roboto Mono";src:url("{_FONT}")}}
:root{{--ground:#14171c;--text:#d6dae0;--link:#7aa2d6}}
@media (prefers-color-scheme:light){{:root{{--ground:#fbfaf7;--text:#24282d;--link:#2b5c9e}}}}
html,body{{height:100%;margin:0;background:var(--ground);color:var(--text);overflow:hidden}}
body{{font:16px/1.5 "Roboto Mono",monospace}}
.said{{position:fixed;z-index:11;left:0;right:0;bottom:0;margin:0;padding:.5rem 1rem}}
.said{{background:var(--ground);border-top:1px solid}}
.silent,.ended,.lost{{display:none}}
body.-first-byte .opens,body.-closed .opens{{display:none}}
body.-silent .silent,body.-closed:not(.-lost) .ended,body.-lost .lost{{display:block}}
body.-closed .textual-terminal{{opacity:.7}}
.xterm .xterm-viewport{{background:none!important;overflow:hidden}}
a{{color:var(--link)}}
"""
"""Messages have a higher ``z-index`` than the layers of the terminal, which end at 10."""

_SCRIPT = """
let terminal;

// The socket that the terminal makes. What is typed while none is open is not sent later: by then
// it would be read as keys. The server answers a ping, also where its window is busy.
window.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address);
    terminal = this;
    // What is typed goes to the terminal, also before it was clicked.
    document.querySelector(".xterm-helper-textarea").focus();
    const said = document.body.classList;
    let asked = false;
    const asking = setInterval(() => {
      if (this.readyState !== WebSocket.OPEN) return;
      said.toggle("-silent", asked);
      asked = true;
      this.send('["ping", ""]');
    }, ASK);
    this.addEventListener("open", () => {
      // The program asks the terminal whether its background is light: it has the browser's.
      if (!matchMedia("(prefers-color-scheme: light)").matches) return;
      for (const colour of ["11;#fff", "10;#222"]) {
        const data = new TextEncoder().encode(`\\x1b]${colour}\\x07`).buffer;
        this.dispatchEvent(new MessageEvent("message", {data}));
      }
    });
    this.addEventListener("message", (event) => {
      asked = false;
      said.remove("-silent");
      if (event.data === '["pong", ""]') event.stopImmediatePropagation();
    });
    this.addEventListener("close", (event) => {
      clearInterval(asking);
      said.remove("-silent");
      said.toggle("-lost", event.code !== 1000);
      // Nothing is typed into it any more, and the link gets clicks and tab.
      document.querySelector("#terminal").inert = true;
    });
  }
  send(data) {
    if (this.readyState === WebSocket.OPEN) super.send(data);
  }
};

// What is selected with the mouse, which the terminal puts into any event that copies.
function selected() {
  const copying = new ClipboardEvent("copy", {clipboardData: new DataTransfer()});
  document.querySelector(".xterm").dispatchEvent(copying);
  return copying.clipboardData.getData("text/plain");
}

// A click chooses a row. With ctrl (or cmd) it opens an address, as in terminals: what a stranger
// wrote is not visited by who only wanted to read it. The terminal opens one without a name first.
const opens = window.open;
window.open = (...named) => named.length || event.ctrlKey || event.metaKey ? opens(...named) : null;

// Keys that a browser and a terminal understand otherwise, before the terminal has them.
addEventListener("keydown", (event) => {
  if (terminal?.readyState !== WebSocket.OPEN) return;  // they are the browser's
  const held = ["ctrl", "alt", "shift", "meta"].filter((each) => event[each + "Key"]).join();
  const arrow = ["ArrowUp", "ArrowDown", "ArrowRight", "ArrowLeft"].indexOf(event.key);
  if (held === "ctrl" && event.key === "v") {
    event.stopImmediatePropagation();  // the browser pastes
  } else if (held === "ctrl" && event.key === "c" && selected()) {
    navigator.clipboard.writeText(selected());
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (held === "alt" && arrow >= 0) {
    // The terminal would make ctrl and the arrow of it.
    terminal.send(JSON.stringify(["stdin", "\\x1b[1;3" + "ABCD"[arrow]]));
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}, true);
""".replace("ASK", str(ASK_MILLISECONDS))

_SCRIPT_DIGEST = base64.b64encode(sha256(_SCRIPT.encode()).digest()).decode()

_PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>copydesk</title><link rel="icon" href="{_ICON}">
<link rel="preload" as="font" type="font/ttf" crossorigin href="{_FONT}">
<link rel="stylesheet" href="{STATIC}/css/xterm.css">
<style>{_STYLE}</style>
<script>{_SCRIPT}</script><script src="{STATIC}/js/textual.js"></script></head>
<body><div id="terminal" class="textual-terminal" data-font-size="{FONT_SIZE}"
role="application"
aria-label="A picture of copydesk. It is read aloud in a terminal: copydesk --linear"
data-session-websocket-url="SOCKET"></div>
<p class="said opens" id="start">Opening copydesk</p>
<div role="status"><p class="said silent">copydesk does not answer.
What you type now may be lost.</p>
<p class="said ended">This window has ended; what you typed is kept.
<a href="">Open it again</a></p>
<p class="said lost">The connection to copydesk was lost; what was on the screen is kept.
<a href="">Open it again</a>, or start <code>copydesk serve --web</code> again and open the link
that it prints.</p></div></body></html>
"""


def window_page(socket: str) -> Response:
    """Return the page of the window that is connected to this socket."""
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        f"script-src 'self' 'sha256-{_SCRIPT_DIGEST}'; font-src 'self'; img-src data:; "
        # The terminal writes styles of its own while it draws.
        f"style-src 'self' 'unsafe-inline'; connect-src {socket}"
    )
    headers = {
        **HEADERS,
        "content-security-policy": policy,
        # What it opens elsewhere has no hold of it.
        "cross-origin-opener-policy": "same-origin",
    }
    return Response(_PAGE.replace("SOCKET", socket), 200, headers, "text/html")


def static_files() -> StaticFiles:
    """Return what the page loads. Raises ``ImportError`` where textual-serve is not installed."""
    import textual_serve

    return StaticFiles(directory=Path(textual_serve.__file__).parent / "static")
