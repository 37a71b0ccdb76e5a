"""What happened in the Platform guide: the busiest space of the sample."""

from __future__ import annotations

from copydesk.server.sample.edits import add, append, move, remove, rename, replace, several, write
from copydesk.server.sample.story import (
    Ask,
    Become,
    Commit,
    Merge,
    Past,
    Proposal,
    Said,
    Thread,
    Update,
    Verdict,
)

_SPACE = "platform-guide"
_PAYMENTS = "accept-payments/payments"

_REFRESH = """
## 3. Refresh

Access tokens live for one hour. Exchange the refresh token shortly before that:

```bash
curl https://api.quayside.example/v2/oauth/token \\
  -u "{CLIENT_ID}:{CLIENT_SECRET}" \\
  -d grant_type=refresh_token \\
  -d refresh_token={REFRESH_TOKEN}
```

The answer holds a new pair. Store it before you use it: the old refresh token stops working as soon
as the new access token is used for the first time.
"""

_RATE_LIMITS = """
# Rate limits

Limits keep one busy loop from slowing down everybody else. They count per key and per second.

## How much

| Kind of request | Live | Sandbox |
| --- | --- | --- |
| Reads | 100 a second | 25 a second |
| Writes | 60 a second | 10 a second |
| Reports | 10 a minute | 5 a minute |

A burst of twice the limit is fine for up to three seconds.

## How you notice

Every answer says where you stand:

| Header | Means |
| --- | --- |
| `RateLimit-Limit` | how many you may send in this second |
| `RateLimit-Remaining` | how many are left |
| `Retry-After` | only with 429: how many seconds to wait |

## What to do

1. Wait as long as `Retry-After` says.
2. Add a random part of a second, so that your servers do not all come back together.
3. After five attempts give up and tell somebody. A queue is better than a loop.

```python
import random
import time


def wait(seconds: int) -> None:
    time.sleep(seconds + random.random())
```

Ask us for more before a launch: two working days are enough.
"""

_REPLAY = """
# Replaying events

Your endpoint was down, or a bug swallowed a day of events. Send them again:

1. Open **Developers > Webhooks > Deliveries**.
2. Filter by time and by *undelivered*.
3. Choose **Send again**. Up to 10,000 events go out at once, oldest first.

Or ask for a range with the API:

```bash
curl -X POST https://api.quayside.example/v2/events/replay \\
  -H "Authorization: Bearer {SECRET_KEY}" \\
  -d from=2026-02-03T00:00:00Z \\
  -d to=2026-02-03T06:00:00Z
```

Replayed events keep their id, so whatever you have seen already is easy to skip.
"""

_DEAD_LETTERS = """
# Undelivered events

An event that no attempt could deliver is kept for 30 days.

* The dashboard lists them under **Developers > Webhooks > Undelivered**.
* `GET /v2/events?delivered=false` does the same.
* Once a day we write to the address in **Settings > Team > Alerts**, if there are any.

Nothing is lost in those 30 days. After them, read the payment itself: its state is always right.
"""

PLATFORM_PAST = Past(
    space=_SPACE,
    steps=(
        Commit(
            by="lee",
            at=2.2,
            edit=replace(
                "connect/rate-limits",
                "| Writes | 50 a second | 10 a second |",
                "| Writes | 40 a second | 10 a second |",
            ),
        ),
        Thread(
            by="ruben",
            at=12.4,
            page="go-live/checklist",
            text="Three merchants this week went live without a webhook endpoint at all. "
            "Could the checklist say what stops working then?",
            reactions={"👍": ("clara", "priya")},
            replies=(
                Said(by="priya", at=11.9, text="Good one. I will put it into the next round."),
                Said(by="clara", at=5.3, text="Two more since. @Mara, can somebody take it?"),
            ),
        ),
        Thread(
            by="yusuf",
            at=40.2,
            page="readme",
            text="31 countries or 32? The sales deck says 32.",
            replies=(Said(by="dan", at=39.8, text="31 until Norway is signed. Deck is wrong."),),
            resolved=("dan", 39.7),
        ),
    ),
)
"""What happened outside change requests."""

PLATFORM: tuple[Proposal, ...] = (
    Proposal(
        space=_SPACE,
        by="jonas",
        at=74.1,
        subject="Say what a partial refund does to fees",
        description="Support answers this one twice a week.",
        edit=replace(
            f"{_PAYMENTS}/refunds",
            "* Fees of the payment are not returned.",
            "* Fees of the payment are not returned, also not in part.",
        ),
        steps=(
            Ask(by="jonas", at=74.0, of=("samira",)),
            Verdict(by="samira", at=72.5),
            Merge(by="jonas", at=72.1),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="priya",
        at=58.3,
        subject="Put the dispute page where people look for it",
        description="It was reachable from nowhere but the search.",
        edit=several(
            append("readme", "Money taken back? Read [Disputes](payments/disputes.md)."),
            replace(
                f"{_PAYMENTS}/disputes",
                "## Evidence that helps",
                "## Evidence that has won before",
            ),
        ),
        steps=(
            Thread(
                by="mara",
                at=57.0,
                page=f"{_PAYMENTS}/disputes",
                quote="Evidence",
                text="Have we numbers for *has won*? Otherwise I would stay with *helps*.",
                replies=(
                    Said(by="priya", at=56.8, text="Samira pulled them: 71 percent with delivery."),
                    Said(
                        by="mara",
                        at=56.7,
                        text="Then it stays. Nice.",
                        reactions={"🎉": ("priya",)},
                    ),
                ),
                resolved=("mara", 56.6),
            ),
            Verdict(by="mara", at=56.5, text="True, and found by my three searches."),
            Merge(by="priya", at=56.2),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="lee",
        at=44.0,
        subject="Use the v2 token address in the OAuth guide",
        description="The v1 address answers 401 for apps made after January.",
        cluster="oauth-401",
        edit=replace(
            "connect/authentication/oauth",
            "curl https://api.quayside.example/v1/oauth/token",
            "curl https://api.quayside.example/v2/oauth/token",
        ),
        steps=(
            Ask(by="lee", at=43.9, of=("ines", "mara")),
            Verdict(by="ines", at=42.2, text="Ran it in the sandbox. Works."),
            Verdict(by="mara", at=41.9),
            Merge(by="lee", at=18.6),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="priya",
        at=8.9,
        subject="Rewrite the rate limits page",
        description="""Three things at once, because they belong together:

* the new write limit, from Lee's load test
* the headers, which nobody could find
* a sample that waits *and* spreads

Supersedes the table that we had since 2023.""",
        cluster="rate-limit-numbers",
        edit=write("connect/rate-limits", _RATE_LIMITS),
        steps=(
            Ask(by="priya", at=8.8, of=("mara", "kofi")),
            Thread(
                by="kofi",
                at=7.7,
                page="connect/rate-limits",
                quote="A burst of twice the limit",
                text="Is this promised anywhere? I would not like to find it in a contract.",
                replies=(
                    Said(
                        by="priya", at=7.2, text="It is what the load test showed, not a promise."
                    ),
                    Said(
                        by="kofi",
                        at=6.9,
                        text="Then please say *usually*. @Mara, what do you think?",
                    ),
                ),
                reactions={"👀": ("lee",)},
            ),
            Thread(
                by="mara",
                at=6.1,
                page="connect/rate-limits",
                quote="give up and tell somebody",
                text="Whom does a program tell? Maybe: *raise an alert*.",
                replies=(
                    Said(by="priya", at=3.3, text="Changed? I left *somebody*, it made me smile."),
                ),
            ),
            Thread(
                by="ines",
                at=5.8,
                text="The sample is fine, I ran it against the sandbox for ten minutes.",
                reactions={"❤️": ("priya", "mara")},
                resolved=("priya", 5.5),
            ),
            Verdict(by="kofi", at=6.8, status="changes-requested", text="Only the burst sentence."),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="jonas",
        at=1.6,
        subject="Fix the refresh sample of OAuth",
        description="The text described a call and never showed it. Now it shows it.",
        cluster="oauth-401",
        edit=replace(
            "connect/authentication/oauth",
            "\n## 3. Refresh\n\nAccess tokens live for one hour. Exchange the refresh token for a "
            "new pair before that; the old refresh token stops working at once.\n",
            _REFRESH,
        ),
        steps=(
            Ask(by="jonas", at=1.5, of=("mara", "priya")),
            Verdict(by="priya", at=0.4, text="Copied it, ran it, got a token."),
            Thread(
                by="priya",
                at=0.5,
                page="connect/authentication/oauth",
                quote="refresh token stops working",
                text="Is it *as soon as it is used* or *at once*? The API page says at once.",
                replies=(
                    Said(by="jonas", at=0.45, text="As soon as it is used; Lee looked it up."),
                ),
                resolved=("jonas", 0.44),
            ),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="lee",
        at=5.2,
        subject="Webhooks: retries for a day, and where lost events go",
        description="From release 2026-02 there are seven attempts. Adds the two missing pages.",
        cluster="webhooks-missing",
        edit=several(
            replace(
                "connect/webhooks/retries",
                "| 5 | 6 hours |\n\nAfter the fifth attempt",
                "| 5 | 6 hours |\n| 6 | 12 hours |\n| 7 | 24 hours |\n\nAfter the seventh attempt",
            ),
            add("Replaying events", _REPLAY, below="connect/webhooks"),
            add("Undelivered events", _DEAD_LETTERS, below="connect/webhooks"),
            replace(
                "connect/webhooks",
                "What happens when your server is down is in [Retries](retries.md).",
                "What happens when your server is down is in [Retries](retries.md), and what "
                "becomes of an event that never arrives in [Undelivered events](undelivered.md).",
            ),
        ),
        steps=(
            Ask(by="lee", at=5.1, of=("mara", "jonas")),
            Thread(
                by="ruben",
                at=4.6,
                page="connect/webhooks/retries",
                quote="24 hours",
                text="Is that 24 hours after the sixth attempt, or after the first?",
                replies=(Said(by="lee", at=4.4, text="After the sixth. I will write it out."),),
            ),
            Commit(
                by="lee",
                at=4.1,
                edit=replace(
                    "connect/webhooks/retries",
                    "| Attempt | After |",
                    "| Attempt | After the one before |",
                ),
            ),
            Thread(
                by="mara",
                at=3.1,
                page="connect/webhooks/undelivered-events",
                text="Title: people search for *lost* or *missing* events. Shall we use one?",
                replies=(
                    Said(
                        by="lee", at=2.9, text="*Missing events*? The dashboard says undelivered."
                    ),
                    Said(
                        by="jonas",
                        at=2.7,
                        text="Dashboard's word in the title, theirs in the text.",
                    ),
                ),
            ),
            Update(by="lee", at=1.9),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="tomas",
        at=13.6,
        subject="Rename the Connect chapter to Integrate, and tidy it",
        description="Connect is also the name of a product now.",
        edit=several(
            rename("connect", "Integrate", "integrate"),
            move("integrate/idempotency", "integrate/webhooks", 0),
            rename("integrate/rate-limits", "Limits", "limits"),
            move("integrate/limits", "go-live"),
        ),
        steps=(
            Thread(
                by="priya",
                at=12.8,
                text="Every link from outside goes to `/connect/…`. Do we get redirects?",
                replies=(
                    Said(by="tomas", at=12.5, text="Yes, the site keeps the old paths for a year."),
                    Said(
                        by="ruben", at=12.4, text="And the macros of support. I count 41 of them."
                    ),
                ),
            ),
            Verdict(
                by="priya",
                at=11.2,
                status="changes-requested",
                text="I like the name. I would not move idempotency below webhooks.",
            ),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="samira",
        at=3.9,
        subject="Holds last seven days from March",
        description="Agreed with the acquirers. Ships with 2026-03.",
        edit=replace(f"{_PAYMENTS}/capture", "Within **five days**", "Within **seven days**"),
        steps=(Ask(by="samira", at=3.8, of=("mara",)),),
    ),
    Proposal(
        space=_SPACE,
        by="jonas",
        at=3.1,
        subject="Capture: say that holds differ by card",
        edit=several(
            replace(
                f"{_PAYMENTS}/capture",
                "Within **five days**, capture it. After that the hold ends",
                "Before the time in `hold_until`, capture it. After that the hold ends",
            ),
            replace(f"{_PAYMENTS}/capture", "Some debit cards", "Many debit cards"),
        ),
        steps=(
            Thread(
                by="samira",
                at=2.8,
                page=f"{_PAYMENTS}/capture",
                quote="hold_until",
                text="This says the opposite of mine in the same sentence. Which one goes first?",
                replies=(Said(by="jonas", at=2.6, text="Yours. Then I rewrite this one."),),
                reactions={"👍": ("samira",)},
            ),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="nora",
        at=22.3,
        subject="Quickstart in five languages",
        status="draft",
        edit=several(
            append(
                "quickstart",
                "## The same in Python\n\n```python\nimport quayside\n\n"
                'quay = quayside.Client("sk_sandbox_quay")\n'
                'quay.payments.create(amount=4200, currency="eur", method="card_sandbox_ok")\n```',
            ),
            append(
                "quickstart",
                '## The same in Ruby\n\n```ruby\nquay = Quayside.new("sk_sandbox_quay")\n'
                'quay.payments.create(amount: 4200, currency: "eur", method: "card_ok")\n```',
            ),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="hana",
        at=33.0,
        subject="Drop the page about versions of TLS",
        edit=replace(
            "connect/authentication",
            "All traffic is TLS 1.2 or newer. Plain HTTP is refused, not redirected, so that a "
            "secret is never sent in the clear twice.",
            "All traffic is TLS 1.2 or newer.",
        ),
        steps=(
            Thread(
                by="ines",
                at=32.1,
                page="connect/authentication",
                quote="All traffic",
                text="Please keep the second half. It is the reason that auditors look for.",
                resolved=("hana", 31.5),
            ),
            Verdict(by="ines", at=32.0, status="changes-requested"),
            Become(at=31.4, status="archived"),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="mara",
        at=1.1,
        subject="Checklist: what stops working without webhooks",
        description="Asked for by support, see the thread on the page.",
        edit=replace(
            "go-live/checklist",
            "- [ ] Webhook endpoint verifies signatures",
            "- [ ] There is a webhook endpoint: without one you never hear of a late payment, "
            "a dispute or a payout that came back\n- [ ] It verifies signatures",
        ),
        steps=(
            Ask(by="mara", at=1.0, of=("ruben", "priya")),
            Thread(
                by="ruben",
                at=0.7,
                page="go-live/checklist",
                quote="There is a webhook endpoint",
                text="Exactly this. Could *late payment* link to bank debits?",
            ),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="elena",
        at=27.4,
        subject="Regions: one table for each region",
        description="Long, but each region's lawyers read only theirs.",
        edit=several(
            add(
                "Europe",
                "# Europe\n\n| | |\n| --- | --- |\n| Data stays in | Frankfurt, Dublin |\n"
                "| Largest payment | 50,000.00 EUR |\n| Currencies | 14 |",
                below="go-live/regions",
            ),
            add(
                "United Kingdom",
                "# United Kingdom\n\n| | |\n| --- | --- |\n| Data stays in | London |\n"
                "| Largest payment | 40,000.00 GBP |\n| Currencies | 9 |",
                below="go-live/regions",
            ),
            remove("go-live/testing"),
        ),
        steps=(
            Thread(
                by="jonas",
                at=26.5,
                page="go-live/regions",
                quote="Data stays in",
                text="With a page for each, this table could go.",
            ),
            Commit(
                by="elena",
                at=24.0,
                edit=write(
                    "go-live/regions",
                    "# Regions and limits\n\nYou choose a region once, when you sign up. "
                    "Each has a page of its own.",
                ),
            ),
            Thread(
                by="priya",
                at=21.7,
                text="Testing went away with it. On purpose?",
                replies=(Said(by="elena", at=20.2, text="No! I dragged it by mistake."),),
            ),
        ),
    ),
)
"""The change requests of the Platform guide."""
