"""What happened in the Platform guide: the busiest space of the sample."""

from __future__ import annotations

from copydesk.server.sample.edits import add, append, replace, several, write
from copydesk.server.sample.platform_texts import (
    DEAD_LETTERS,
    RATE_LIMITS,
    REFRESH,
    REPLAY,
)
from copydesk.server.sample.story import (
    Ask,
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
        edit=write("connect/rate-limits", RATE_LIMITS),
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
                reactions={"💛": ("priya", "mara")},
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
            REFRESH,
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
            add("Replaying events", REPLAY, below="connect/webhooks"),
            add("Undelivered events", DEAD_LETTERS, below="connect/webhooks"),
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
)
"""The change requests of the Platform guide that somebody works on."""
