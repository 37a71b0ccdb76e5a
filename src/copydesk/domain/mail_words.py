"""What somebody wrote in a mail: without what is quoted, the signature and marks of programs."""

from __future__ import annotations

import re

from copydesk.domain.conversation import html_text

_VERBS = (
    "wrote|writes|schrieb|a \u00e9crit|escribi\u00f3|ha scritto|escreveu|schreef|skrev|napisa\u0142"
)
_WROTE = re.compile(
    # "On Tue, 2 Jun 2026 at 09:00, Ana <ana@example.org> wrote:", on one line or over three.
    r"^[ \t>]{0,8}(?:On|Am|Le|El|Il|Em|Op|Den|W dniu)\b[^\n]{5,200}(?:\n[^\n]{1,200}){0,2}?"
    rf"(?:{_VERBS})[^\n]{{0,80}}(?:\n[^\n]{{1,80}})?:[ \t]*$"
    rf"|^[ \t]{{0,8}}[^\n]{{3,120}}<[^\s<>]{{3,80}}>[^\n]{{0,60}}(?:{_VERBS}):[ \t]*$"
    r"|^[ \t]{0,4}-{2,}[ ]?(?:Original Message|Urspr\u00fcngliche Nachricht|Message d'origine"
    r"|Mensaje original|Messaggio originale|Mensagem original|Oorspronkelijk bericht"
    r"|Forwarded message|Weitergeleitete Nachricht)[ ]?-{2,}"
    # The head that Outlook writes.
    r"|^(?:_{8,}[ \t]*\n+)?[ \t]{0,4}\*?(?:From|Von|De|Da|Van):\*?[ ][^\n]{2,200}\n"
    r"[ \t]{0,4}\*?(?:Sent|Date|Gesendet|Datum|Envoy\u00e9|Enviado|Inviato|Verzonden|To|An):\*?[ ]",
    re.MULTILINE | re.IGNORECASE,
)
_SIGNATURE = re.compile(
    r"^(?:--[ \t]*|[\u2014_]{2,}[ \t]*)$"
    r"|^(?:Sent from my \S[^\n]{0,40}|Sent from [^\n]{1,20} for (?:iOS|Android)[^\n]*"
    r"|Get Outlook for [^\n]{1,60}|Von meinem \S[^\n]{0,40}gesendet\.?"
    r"|Envoy\u00e9 de mon [^\n]{1,40}|Enviado desde mi [^\n]{1,40}|Inviato da [^\n]{1,40})[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED = re.compile(r"^[ \t]{0,4}>[^\n]*(?:\n|\Z)", re.MULTILINE)
_QUOTED_HTML = re.compile(
    r"<(?:blockquote\b[^<>]*\btype=[\"']?cite|div\b[^<>]*(?:class=[\"']?(?:gmail_quote|yahoo_quoted"
    r"|moz-cite-prefix)|id=[\"']?(?:appendonsend|divRplyFwdMsg|mail-editor-reference)))",
    re.IGNORECASE,
)
_SIGNATURE_HTML = re.compile(
    r"<(?:div|span|pre)\b[^<>]*class=[\"']?(?:gmail_signature|moz-signature)", re.IGNORECASE
)
_SUBJECT = re.compile(
    r"^(?:\s*(?:re|aw|antw|sv|rv|fwd?|wg|tr|res|rif|vs)(?:\[\d+\])?\s*:)+\s*", re.IGNORECASE
)


def own_words(text: str, *, reply: bool) -> str:
    """Return what somebody wrote, "" where all of it is quoted.

    Lines that begin with ``>`` are quoted only in a ``reply``: a prompt of a shell looks the same.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
    said = _WROTE.search(text)
    begin = said.start() if said is not None else len(text)
    own, behind = text[:begin], text[begin:]
    if reply or said is not None:
        own = _QUOTED.sub("", own)
        if (
            not own.strip() and said is not None
        ):  # the answer stands below what it answers, or in it
            own = _QUOTED.sub("", behind[said.end() - said.start() :]) if ">" in behind else own
    if (signed := _SIGNATURE.search(own)) is not None and own[: signed.start()].strip():
        own = own[: signed.start()]
    return own.strip()


def own_words_of_html(body: str, *, reply: bool) -> str:
    """Return the same of a mail in HTML."""
    for sign in (_QUOTED_HTML, _SIGNATURE_HTML):
        found = sign.search(body)
        if found is not None and html_text(body[: found.start()]):
            body = body[: found.start()]
    return own_words(html_text(body), reply=reply)


def own_subject(subject: str) -> str:
    """Return a subject without what programs put before it in answers."""
    return _SUBJECT.sub("", " ".join(subject.split()))
