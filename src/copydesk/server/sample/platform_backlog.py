"""What happened in the Platform guide and then went quiet, and what touches many pages at once."""

from __future__ import annotations

from copydesk.server.sample.edits import (
    add,
    append,
    everywhere,
    move,
    remove,
    rename,
    replace,
    several,
    write,
)
from copydesk.server.sample.story import Ask, Become, Commit, Proposal, Said, Thread, Verdict

_SPACE = "platform-guide"

PLATFORM_BACKLOG: tuple[Proposal, ...] = (
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
        subject="Shorten the sentence about TLS",
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
        ),
        steps=(
            Thread(
                by="jonas",
                at=26.5,
                page="go-live/regions",
                quote="Data stays in",
                text="With a page for each, this table could go.",
            ),
            Thread(
                by="hana",
                at=26.1,
                page="go-live/testing",
                quote="card_sandbox_3ds",
                text="Not yours, but while you are here: the 3-D Secure card wants a region too.",
            ),
            Commit(
                by="elena",
                at=24.0,
                edit=several(
                    remove("go-live/testing"),
                    write(
                        "go-live/regions",
                        "# Regions and limits\n\nYou choose a region once, when you sign up. "
                        "Each has a page of its own.",
                    ),
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
    Proposal(
        space=_SPACE,
        by="tomas",
        at=1.3,
        subject="Name the regional address in every sample",
        description="From April each region has its own address. The old one keeps working, "
        "but every sample should show the new one.",
        edit=everywhere("https://api.quayside.example/", "https://api.eu.quayside.example/"),
        steps=(
            Ask(by="tomas", at=1.2, of=("mara", "lee")),
            Thread(
                by="lee",
                at=0.8,
                text="Readers in London will copy *eu* as well. Do we want `{REGION}` instead?",
                reactions={"👍": ("jonas", "priya")},
            ),
        ),
    ),
    Proposal(
        space=_SPACE,
        by="dan",
        at=0.5,
        subject="Say buyer where we said customer",
        description="Support mixes up *our* customers and *theirs*. Legal likes it too.",
        status="draft",
        edit=everywhere("customer", "buyer"),
        steps=(
            Thread(
                by="priya",
                at=0.35,
                text="Then the word list in the Handbook needs it first. Shall I?",
                replies=(Said(by="dan", at=0.3, text="Please. No hurry."),),
            ),
        ),
    ),
)
"""The older change requests of the Platform guide, and the widest one."""
