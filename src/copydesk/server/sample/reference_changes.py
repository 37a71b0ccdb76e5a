"""What happened in the API reference and the SDKs, where code has the last word."""

from __future__ import annotations

from copydesk.server.sample.edits import add, append, move, remove, rename, replace, several
from copydesk.server.sample.story import (
    Ask,
    Become,
    Commit,
    Merge,
    Proposal,
    Said,
    Thread,
    Update,
    Verdict,
)

_SPACE = "api-reference"

_LEDGER = """
# Ledger entries

Every movement of your balance, one by one.

`GET /ledger-entries`

| Field | Type | Notes |
| --- | --- | --- |
| `id` | string | `le_…` |
| `amount` | integer | negative when money leaves |
| `source` | string | the payment, refund, dispute or payout |
| `balance` | integer | after this entry |

Entries are never changed. A correction is another entry.
"""

REFERENCE: tuple[Proposal, ...] = (
    Proposal(
        space=_SPACE,
        by="lee",
        at=63.0,
        subject="Payouts say which payments they hold",
        description="For version 2026-02.",
        edit=append(
            "resources/payouts",
            "`GET /payouts/{id}/payments` is paginated like every list, 100 at most.",
        ),
        steps=(
            Ask(by="lee", at=62.9, of=("kofi",)),
            Verdict(by="kofi", at=61.0),
            Merge(by="kofi", at=60.8),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="bot",
        at=38.0,
        subject="Regenerate the list of events",
        description="Made from the event catalogue of 2026-02.",
        edit=replace(
            "resources/events",
            "| `payout.paid` | money arrived |",
            "| `payout.paid` | money arrived |\n| `payout.returned` | your bank sent it back |\n"
            "| `customer.deleted` | a person was forgotten |",
        ),
        steps=(Verdict(by="kofi", at=37.1), Merge(by="kofi", at=37.0)),
    ),
    Proposal(
        space=_SPACE,
        by="lee",
        at=19.5,
        subject="Disputes: evidence can be sent twice",
        description="Product decided so on Monday; the endpoint follows next week.",
        edit=replace(
            "resources/disputes",
            "It can be called once.",
            "It can be called twice; the second call replaces the first.",
        ),
        steps=(
            Ask(by="lee", at=19.4, of=("kofi", "mara")),
            Verdict(by="kofi", at=17.7),
            Commit(
                by="lee",
                at=9.2,
                edit=replace(
                    "resources/disputes", "up to five files of 5 MB", "up to ten files of 5 MB"
                ),
            ),
            Thread(
                by="mara",
                at=8.1,
                page="resources/disputes",
                quote="ten files",
                text="Kofi approved before this line. Is ten right?",
                replies=(Said(by="lee", at=7.9, text="Yes, raised together. Kofi knows."),),
            ),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="tomas",
        at=16.2,
        subject="Reports: describe the columns",
        edit=append(
            "resources/reports",
            "## Columns of a balance report\n\n`entry`, `date`, `type`, `gross`, `fee`, `net`, "
            "`currency`. Amounts are in the smallest unit, as everywhere.",
        ),
        steps=(Ask(by="tomas", at=16.1, of=("kofi",)),),
    ),
    Proposal(
        space=_SPACE,
        by="lee",
        at=14.0,
        subject="Replace reports by ledger entries",
        description="Reports become a thin layer over the ledger and move to their own guide.",
        edit=several(
            remove("resources/reports"),
            add("Ledger entries", _LEDGER, below="resources"),
        ),
        steps=(
            Verdict(by="kofi", at=11.4, text="Finally."),
            Merge(by="kofi", at=6.6),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="kofi",
        at=6.2,
        subject="Errors: what to do about 500",
        description="One sentence more, and the word *idempotency* becomes a link.",
        edit=replace(
            "errors",
            "| 500 | our fault | yes, with the same idempotency key |",
            "| 500 | our fault | yes, with the same idempotency key, after a minute |\n"
            "| 503 | we are in maintenance | yes, after `Retry-After` |",
        ),
        steps=(Ask(by="kofi", at=6.1, of=("mara", "ines")), Verdict(by="ines", at=5.0)),
    ),
    Proposal(
        space=_SPACE,
        by="jonas",
        at=4.3,
        subject="Pagination: show the second page too",
        description="A reader asked how `after` and `more` go together.",
        edit=replace(
            "pagination",
            "The answer has `items` and `more`.",
            'The answer has `items` and `more`:\n\n```json\n{ "items": [], "more": true }\n```\n\n'
            "While `more` is true, send the last id of `items` as `after`.",
        ),
        steps=(
            Ask(by="jonas", at=4.2, of=("kofi",)),
            Verdict(by="kofi", at=2.0, text="Good. Merge when you like."),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="ines",
        at=47.0,
        subject="Move Errors below a new Basics group",
        edit=several(
            rename("readme", "Basics"),
            move("errors", "readme"),
            move("pagination", "readme"),
        ),
        steps=(
            Thread(
                by="kofi",
                at=46.2,
                text="I would rather keep Errors at the top. It is the most read page we have.",
                reactions={"👍": ("lee", "jonas", "mara")},
            ),
            Become(at=30.0, status="archived"),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="lee",
        at=2.4,
        subject="Customers: merge two of them",
        status="draft",
        edit=append(
            "resources/customers",
            "`POST /customers/{id}/merge` with `into` moves methods and payments to another one.",
        ),
    ),
    Proposal(
        space="web-sdk",
        by="tomas",
        at=52.0,
        subject="Wallets in the order of the customer's country",
        edit=append("wallet-button", "Wallets are shown in the order of the customer's country."),
        steps=(Verdict(by="hana", at=51.2), Merge(by="tomas", at=51.0)),
    ),
    Proposal(
        space="web-sdk",
        by="tomas",
        at=10.7,
        subject="Dark code blocks: colours that can be read",
        cluster="dark-code",
        description="Contrast 7 to 1 at least. Measured, not guessed.",
        edit=several(
            replace("styling", 'color: "#14213d",', 'color: "#e5e5e5",'),
            replace("styling", 'placeholder: "#8d99ae",', 'placeholder: "#adb5bd",'),
        ),
        steps=(
            Ask(by="tomas", at=10.6, of=("mara", "hana")),
            Thread(
                by="hana",
                at=9.9,
                page="styling",
                quote="e5e5e5",
                text="These are for dark pages only. Light ones get grey on white now.",
                replies=(Said(by="tomas", at=9.5, text="Right. I show both, give me a day."),),
            ),
        ),
    ),
    Proposal(
        space="web-sdk",
        by="jonas",
        at=2.9,
        subject="CSP: two more sources for 3-D Secure",
        description="Banks show their own page in a frame of ours.",
        edit=replace(
            "csp",
            "| `frame-src` | `https://frames.quayside.example` |",
            "| `frame-src` | `https://frames.quayside.example` |\n"
            "| `frame-src` | `https://3ds.quayside.example` |\n"
            "| `form-action` | `https://3ds.quayside.example` |",
        ),
        steps=(
            Ask(by="jonas", at=2.8, of=("ines",)),
            Verdict(by="ines", at=1.2, text="Checked against the policy of our own shop."),
        ),
    ),
    Proposal(
        space="web-sdk",
        by="nora",
        at=36.5,
        subject="Installing without a bundler, in detail",
        edit=append("install", "Pin the version in the address if your policy asks for hashes."),
        steps=(Become(at=29.0, status="archived"),),
    ),
    Proposal(
        space="mobile-sdk",
        by="hana",
        at=41.0,
        subject="Version 5.2.0",
        edit=replace("android", "5.2.0", "5.2.1"),
        steps=(Verdict(by="tomas", at=40.6), Merge(by="hana", at=40.5)),
    ),
    Proposal(
        space="mobile-sdk",
        by="hana",
        at=11.3,
        subject="Offline payments: raise the limit to 100",
        description="Ferry pilot asked for it; risk said yes for readers from 2025 on.",
        edit=replace("offline", "**50 payments**", "**100 payments**"),
        steps=(
            Ask(by="hana", at=11.2, of=("samira", "mara")),
            Verdict(by="samira", at=9.0),
            Thread(
                by="samira",
                at=9.1,
                page="offline",
                quote="100 payments",
                text="Only readers from 2025 on. Please say so, or somebody will lose 6,000 EUR.",
                replies=(Said(by="hana", at=8.8, text="Added to my list, not done yet."),),
            ),
        ),
    ),
    Proposal(
        space="mobile-sdk",
        by="tomas",
        at=5.5,
        subject="Terminal: what the lights mean at night",
        edit=replace(
            "terminal", "| green | ready |", "| green | ready |\n| off | asleep, tap it |"
        ),
        steps=(Verdict(by="hana", at=5.1), Merge(by="hana", at=5.0)),
    ),
    Proposal(
        space="mobile-sdk",
        by="tomas",
        at=1.9,
        subject="iOS: Swift 6 and the new sheet",
        description="The sheet is async now.",
        edit=append(
            "ios",
            "```swift\nlet result = try await quay.sheet(clientSecret).present(from: self)\n```",
        ),
        steps=(Verdict(by="hana", at=0.9), Update(by="tomas", at=0.8)),
    ),
)
"""The change requests of the API reference and the SDKs."""
