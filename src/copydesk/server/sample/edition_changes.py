"""What happened in older versions and translations, and the largest rewrite of the reference."""

from __future__ import annotations

from copydesk.server.sample.edits import add, append, replace, several, write
from copydesk.server.sample.story import Ask, Merge, Proposal, Said, Thread, Verdict

_CREATE = """
# Create a payment

`POST /payments`

| Field | Type | Required | Notes |
| --- | --- | --- | --- |
| `amount` | integer | yes | 50 to the limit of your region |
| `currency` | string | yes | three lower case letters |
| `method` | string | yes | a token of the Web SDK or a mobile SDK |
| `capture` | string | no | `now` (default) or `later` |
| `customer` | string | no | `cus_…` |
| `description` | string | no | up to 140 characters, shown to the customer |
| `metadata` | object | no | up to 20 pairs, values up to 500 characters |

```bash
curl https://api.quayside.example/v2/payments \\
  -H "Authorization: Bearer {SECRET_KEY}" \\
  -H "Idempotency-Key: order-1017" \\
  -d amount=4200 -d currency=eur -d method={METHOD_ID}
```

Returns 201 and the [payment](payments.md), or 402 with a `decline_code`.
"""

_LIST = """
# List payments

`GET /payments`

| Parameter | Notes |
| --- | --- |
| `state` | one of the states, may be repeated |
| `customer` | only those of a customer |
| `limit`, `after` | see [Pagination](../pagination.md) |
| `created_from`, `created_to` | see [Pagination](../pagination.md) |

The newest come first. A list holds what you may see: a restricted key without `payments:read` gets
403, not an empty list.
"""

_CAPTURE = """
# Capture a payment

`POST /payments/{id}/capture`

| Field | Type | Required | Notes |
| --- | --- | --- | --- |
| `amount` | integer | no | at most what was authorized; default: all of it |

Works once. The rest of the hold is released at once.

| Error | When |
| --- | --- |
| `already_captured` | it was captured before |
| `hold_ended` | the time in `hold_until` has passed |
| `amount_too_large` | more than was authorized |
"""

_VOID = """
# Void a payment

`POST /payments/{id}/void` ends a hold before its time. The customer sees the money again after one
to three days.

A captured payment answers 400 with `already_captured`; refund it instead.
"""

_OVERVIEW = """
# Payments

A payment is one attempt to collect one amount.

```json
{
  "id": "pay_8Zt2",
  "state": "captured",
  "amount": 4200,
  "currency": "eur",
  "customer": "cus_5mPe",
  "hold_until": null,
  "created": "2026-02-03T10:14:58Z",
  "captured": "2026-02-03T10:14:59Z"
}
```

| Call | Does |
| --- | --- |
| [Create](create-a-payment.md) | collect or hold an amount |
| [List](list-payments.md) | find payments |
| [Capture](capture-a-payment.md) | take what was held |
| [Void](void-a-payment.md) | let go of what was held |

`GET /payments/{id}` reads one.
"""

_OAUTH = """
# OAuth

Nutzen Sie OAuth, wenn Ihre Anwendung mit Konten anderer Händler arbeitet.

1. Schicken Sie den Händler zu `https://connect.quayside.example/authorize`.
2. Tauschen Sie den `code` innerhalb von fünf Minuten gegen ein Token.
3. Erneuern Sie das Token, bevor die Stunde um ist.

```bash
curl https://api.quayside.example/v2/oauth/token \\
  -u "{CLIENT_ID}:{CLIENT_SECRET}" \\
  -d grant_type=authorization_code \\
  -d code={CODE}
```
"""

EDITIONS: tuple[Proposal, ...] = (
    Proposal(
        space="api-reference",
        by="lee",
        at=3.4,
        subject="A page for each call of Payments",
        description="""The page has become too long to find anything on it.

1. The overview keeps the resource itself.
2. Each call gets a page with all its fields and *all* its errors.
3. Old anchors lead to the overview.

Please read the errors with care: they are taken from the code, not from the old page.""",
        edit=several(
            write("resources/payments", _OVERVIEW),
            add("Create a payment", _CREATE, below="resources/payments"),
            add("List payments", _LIST, below="resources/payments"),
            add("Capture a payment", _CAPTURE, below="resources/payments"),
            add("Void a payment", _VOID, below="resources/payments"),
        ),
        steps=(
            Ask(by="lee", at=3.3, of=("kofi", "mara")),
            Verdict(by="kofi", at=1.7, text="The errors are right, I compared them one by one."),
            Thread(
                by="jonas",
                at=2.5,
                page="resources/payments/create-a-payment",
                quote="decline_code",
                text="Link the declines here? Everybody looks for them.",
                replies=(Said(by="lee", at=2.4, text="Which page, ours or troubleshooting?"),),
            ),
            Thread(
                by="mara",
                at=1.5,
                page="resources/payments",
                quote="hold_until",
                text="Is it null after the capture, or absent?",
                replies=(
                    Said(by="kofi", at=1.45, text="Null. Absent means not allowed to see it."),
                    Said(by="lee", at=1.4, text="Shall I say that here, or in About this API?"),
                ),
            ),
        ),
    ),
    Proposal(
        space="platform-guide-v1",
        by="jonas",
        at=25.0,
        subject="Version 1 ends in September 2027",
        edit=replace(
            "readme", "ends in September 2027.", "ends on 30 September 2027, at noon UTC."
        ),
        steps=(Verdict(by="lee", at=24.2), Merge(by="jonas", at=24.0)),
    ),
    Proposal(
        space="platform-guide-v1",
        by="lee",
        at=2.0,
        subject="Tokens: point to version 2",
        description="Half of the 401s start on this page.",
        cluster="oauth-401",
        edit=append("tokens", "Apps made after January 2026 need the address of version 2."),
        steps=(Ask(by="lee", at=1.9, of=("mara",)),),
    ),
    Proposal(
        space="platform-guide-de",
        by="elena",
        at=6.9,
        subject="OAuth auf Deutsch",
        description="Folgt der englischen Seite vom letzten Monat.",
        edit=several(
            add("OAuth", _OAUTH, index=4),
            append("readme", "Für fremde Konten: [OAuth](oauth.md)."),
        ),
        steps=(
            Ask(by="elena", at=6.8, of=("jonas",)),
            Thread(
                by="jonas",
                at=5.7,
                page="oauth",
                quote="bevor die Stunde um ist",
                text="Schön. Vielleicht *rechtzeitig vor Ablauf*?",
                replies=(Said(by="elena", at=5.5, text="Zu steif. Ich lasse es so."),),
                resolved=("jonas", 5.4),
            ),
            Verdict(by="jonas", at=5.3),
        ),
    ),
    Proposal(
        space="platform-guide-de",
        by="elena",
        at=0.8,
        subject="Lastschrift, nicht Bankeinzug",
        status="draft",
        edit=append("zahlungen", "Lastschriften brauchen bis zu drei Werktage."),
    ),
)
"""The change requests of the editions, and the largest one of the reference."""
