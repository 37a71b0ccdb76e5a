"""What somebody wrote in a message: without what is quoted, signed, greeted with, or a log.

A phrase is written as people write it; "…" in it stands for some words. Written for copydesk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from copydesk.domain import mail_words

_QUOTES = (
    "on … wrote:|am … schrieb …:|el … escribió:|le … a écrit :|il … ha scritto:|"
    "em … escreveu:|op … schreef …:|-----original message-----|--- original message ---|"
    "---------- forwarded message ---------|-----ursprüngliche nachricht-----|"
    "-----mensaje original-----|-----message d'origine-----|-----messaggio originale-----|"
    "-----mensagem original-----|-----oorspronkelijk bericht-----"
)

_SIGNATURES = (
    "--|sent from my …|get outlook for …|von meinem … gesendet|gesendet von …|"
    "enviado desde mi …|envoyé de mon …|envoyé depuis mon …|inviato da …|enviado do meu …|"
    "verzonden vanaf …|regards|kind regards|best regards|warm regards|many regards|"
    "best wishes|best|cheers|sincerely|yours|yours truly|yours sincerely|yours faithfully|"
    "thanks|thank you|many thanks|thx|thanks in advance|mit freundlichen grüßen|"
    "mit freundlichen gruessen|mit freundlichem gruß|mit besten grüßen|viele grüße|"
    "beste grüße|liebe grüße|schöne grüße|freundliche grüße|grüße|gruß|mfg|lg|vg|danke|"
    "vielen dank|danke im voraus|saludos|un saludo|saludos cordiales|gracias|muchas gracias|"
    "gracias de antemano|atentamente|un abrazo|cordialement|bien cordialement|merci|"
    "merci d'avance|bien à vous|cordiali saluti|distinti saluti|saluti|grazie|grazie mille|"
    "atenciosamente|obrigado|obrigada|muito obrigado|muito obrigada|cumprimentos|"
    "met vriendelijke groet|met vriendelijke groeten|groet|groeten|groetjes|bedankt|"
    "alvast bedankt"
)

_GREETINGS = (
    "hi|hello|hey|hallo|hola|servus|moin|grüezi|bonjour|bonsoir|salut|ciao|salve|buongiorno|"
    "olá|oi|dear|good morning|good afternoon|good evening|good day|guten tag|guten morgen|"
    "guten abend|sehr geehrte|sehr geehrter|liebe|lieber|liebes|buenos días|buenos dias|"
    "buenas tardes|buenas noches|buenas|estimado|estimada|estimados|bom dia|boa tarde|"
    "boa noite|beste|geachte|goedemorgen|goedemiddag|goedendag"
)

_CALLS = (
    "urgent|very urgent|asap|important|help|please help|dringend|sehr dringend|eilt|wichtig|hilfe|"
    "bitte um hilfe|urgente|muy urgente|importante|ayuda|très urgent|à l'aide|aiuto|"
    "aiuto per favore|ajuda|belangrijk|spoed|spoedgeval|help alstublieft"
)
"""What stands before a message, and says nothing of what it is about."""

_READ = 20_000  # characters of a message that are read at most
_LAST = 8  # lines at its end in which a signature begins

_LOG = re.compile(
    r"""^\s*(
      File\ "[^"]+",\ line\ \d+.*            # Python
      |at\ [\w.$<>/]+\s?\(.*\)\s*            # Java, JavaScript
      |\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d.*       # a log's line begins with a time
      |\[?(DEBUG|TRACE|INFO|WARN|ERROR)\]?[\s:].*
      |[A-Za-z][\w-]{2,40}:\ \S+\s*$(?<![.?!])  # a header: value
      |HTTP/\d.*
      |Traceback\ \(most\ recent\ call\ last\):
      |[{}\[\]();,\s]*$
    )""",
    re.VERBOSE,
)
_QUOTE = re.compile(r"^\s*(>|\|\s)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_OF_A_FORM = re.compile(r"^\s*(?:#{2,6}\s|[-*+]\s*\[[ xX]\]\s|(?:</?[a-zA-Z]+>\s*)+$)")
"""Headings, boxes to tick, and what opens and closes parts of a template."""

_WHOLE_LINE = r"^\s*%s\s*[,.!]*\s*$"
_CALLED = r"\A(?:\W{0,9}%s\s{0,5}(?:[!:)\]–—]|[,.-](?=\s)|\n|\Z)[\s!:)\]–—,.-]{0,40}){1,3}"
_BEFORE = r"\A(?:\s*¡?%s(?: [^\W\d_]+){0,4}\s*(?:[,!.:–-]+\s*|\n))+"


def finder(phrases: Iterable[str], shape: str) -> re.Pattern[str]:
    """Return what finds phrases; ``shape`` says what stands around them."""
    ordered = sorted(phrases, key=len, reverse=True)
    either = "|".join(re.escape(each).replace("…", ".{1,120}") for each in ordered)
    return re.compile(shape % f"(?:{either})", re.IGNORECASE | re.MULTILINE)


@cache
def _found_by(phrases: str, shape: str) -> re.Pattern[str]:
    return finder(phrases.split("|"), shape)


def own_words(body: str) -> str:
    """Return what a person wrote in a message, without greeting, signature, quotes and logs."""
    kept: list[str] = []
    dropped: list[str] = []
    fenced = False
    # Without runs of spaces and empty lines: searching them takes time by the square.
    body = _COMMENT.sub("", body[:_READ])
    said = mail_words.own_words(body, reply=False) or body
    lines = [" ".join(line.split()) for line in said.splitlines()]
    lines = [line for line, after in zip(lines, [*lines[1:], "."], strict=False) if line or after]
    for number, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if _found_by(_QUOTES, _WHOLE_LINE).match(line):
            break
        if (
            kept
            and _found_by(_SIGNATURES, _WHOLE_LINE).match(line)
            and number >= len(lines) - _LAST
        ):
            break
        if _QUOTE.match(line):
            continue
        unsaid = fenced or _LOG.match(line) or _OF_A_FORM.match(line)
        (dropped if unsaid else kept).append(line)
    text = "\n".join(kept).strip()
    for _ in range(2):  # either may come first
        text = _found_by(_GREETINGS, _BEFORE).sub("", without_call(text)).strip()
    # Who sends nothing but a log means what it says.
    return text or "\n".join(dropped).strip()


def without_call(text: str) -> str:
    """Return text without the call for haste or help that it begins with."""
    return _found_by(_CALLS, _CALLED).sub("", text).strip()
