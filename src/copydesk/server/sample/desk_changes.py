"""What happened in the Handbook and wherever support, money and incidents are written about."""

from __future__ import annotations

from copydesk.server.sample.edits import add, append, move, remove, rename, replace, several
from copydesk.server.sample.story import (
    Ask,
    Become,
    Commit,
    Merge,
    Past,
    Proposal,
    Said,
    Thread,
    Verdict,
)

_PRORATION = """
# Proration, worked out

You are on Growth (29.00 EUR) and go up to Scale (190.00 EUR) on the 11th of a month with 30 days.

| Part | Days | Amount |
| --- | --- | --- |
| Growth, unused | 20 | -19.33 EUR |
| Scale, until the end of the month | 20 | 126.67 EUR |
| **You pay now** | | **107.34 EUR** |

Amounts are rounded once, at the end.
"""

_SSO = """
# SSO loops after signing out

You sign out and are signed in again at once, or you are sent back and forth.

1. Your company's sign-in still has a session. Sign out there first.
2. If only one browser does it, its cookie for `quayside.example` is older than the switch to the
   new domain in January. Delete it.
3. Administrators: the sign-out address of the connection must end in `/sso/done`.
"""

HANDBOOK_PAST = Past(
    space="handbook",
    steps=(
        Commit(
            by="mara",
            at=3.4,
            edit=several(
                rename("writing/style-guide/words", "Words, and the ones we avoid"),
                replace(
                    "writing/style-guide/words",
                    "| sign in | log in, login | Two words for the deed, none for the thing |",
                    "| sign in | log in, login, sign on | One word for one thing |",
                ),
            ),
        ),
        Thread(
            by="clara",
            at=2.2,
            page="working/triage-week",
            text="Even weeks: Elena is away until the 9th. Who swaps?",
            replies=(Said(by="jonas", at=2.0, text="I can. @Mara, is that all right with you?"),),
        ),
    ),
)
"""What happened in the Handbook outside change requests."""

DESK: tuple[Proposal, ...] = (
    Proposal(
        space="handbook",
        by="priya",
        at=66.0,
        subject="Say that taste is taste",
        edit=append("working/reviewing", "When in doubt, ask: *would a reader notice?*"),
        steps=(Verdict(by="mara", at=65.4), Merge(by="priya", at=65.0)),
    ),
    Proposal(
        space="handbook",
        by="jonas",
        at=7.4,
        subject="Words: sign in, sign out, sign up",
        description="All three in one place, with examples.",
        edit=several(
            rename("writing/style-guide/words", "Word list"),
            replace(
                "writing/style-guide/words",
                "| sign in | log in, login | Two words for the deed, none for the thing |",
                "| sign in | log in, login | Two words for the deed, none for the thing |\n"
                "| sign out | log out, log off | As above |\n| sign up | register | Shorter |",
            ),
        ),
        steps=(
            Ask(by="jonas", at=7.3, of=("mara",)),
            Thread(
                by="mara",
                at=6.4,
                page="writing/style-guide/words",
                quote="register",
                text="*Register* is what our German readers expect. Keep it as a search word?",
                replies=(Said(by="jonas", at=4.0, text="In the page's description, maybe?"),),
            ),
        ),
    ),
    Proposal(
        space="handbook",
        by="elena",
        at=4.8,
        subject="How translations stay in step",
        description="A page for what I explain in every second review.",
        edit=add(
            "Translations",
            "# Translations\n\nThe English page comes first. Two weeks later at most the others "
            "follow, and until then they carry a hint.\n\n* Translate meaning, not words.\n"
            "* Samples stay as they are.\n* Amounts follow the country: `42,00 EUR`.",
            below="writing",
        ),
        steps=(Ask(by="elena", at=4.7, of=("mara", "priya")), Verdict(by="priya", at=3.5)),
    ),
    Proposal(
        space="handbook",
        by="mara",
        at=0.6,
        subject="Triage week: look at clusters on Wednesday too",
        status="draft",
        edit=replace("working/triage-week", "## On Friday", "## On Wednesday and Friday"),
    ),
    Proposal(
        space="handbook",
        by="olu",
        at=205.0,
        subject="Move the style guide into the repository",
        edit=remove("writing/style-guide/code-samples"),
        steps=(Become(at=188.0, status="archived"),),
    ),
    Proposal(
        space="billing",
        by="samira",
        at=49.0,
        subject="Invoices: where they went",
        description="The menu moved in January.",
        cluster="invoice-pdf",
        edit=replace(
            "invoices", "1. Open **Settings > Billing**.", "1. Open **Billing > Documents**."
        ),
        steps=(Verdict(by="mara", at=48.0), Merge(by="samira", at=47.9)),
    ),
    Proposal(
        space="billing",
        by="samira",
        at=9.6,
        subject="Proration, with a table that adds up",
        description="Replaces a sentence that nobody understood, me included.",
        cluster="proration",
        edit=several(
            add("Proration", _PRORATION, below="plans"),
            replace(
                "plans",
                "Going up in the middle of a month costs the difference for the days that are "
                "left.",
                "Going up in the middle of a month costs the difference for the days that are "
                "left; [an example](proration.md) works it out.",
            ),
        ),
        steps=(
            Ask(by="samira", at=9.5, of=("mara",)),
            Thread(
                by="clara",
                at=8.7,
                page="plans/proration",
                quote="107.34",
                text="The dashboard shows 107.33. Which of them rounds?",
                replies=(
                    Said(by="samira", at=8.2, text="The dashboard rounds each line. It is a bug."),
                    Said(by="clara", at=8.1, text="Then support needs a macro until it is fixed."),
                ),
                reactions={"🤔": ("ruben", "clara")},
            ),
            Thread(
                by="ruben",
                at=7.9,
                page="plans/proration",
                text="Could we have one for going *down* as well?",
            ),
            Thread(
                by="mara",
                at=5.9,
                page="plans/proration",
                quote="rounded once",
                text="I would put this above the table.",
                replies=(Said(by="samira", at=5.1, text="Agreed, done in a minute."),),
            ),
        ),
    ),
    Proposal(
        space="billing",
        by="jonas",
        at=6.3,
        subject="Fees: instalments cost 3.5 percent",
        edit=replace(
            "fees", "| Instalments | 3.9 | 0.35 EUR |", "| Instalments | 3.5 | 0.35 EUR |"
        ),
        steps=(Ask(by="jonas", at=6.2, of=("samira",)), Verdict(by="samira", at=6.0)),
    ),
    Proposal(
        space="billing",
        by="priya",
        at=2.7,
        subject="Payouts: daily from the first plan on",
        description="Product news of this month. Dan confirmed the date.",
        edit=several(
            replace(
                "payouts", "| Weekly | Mondays | Free |", "| Weekly | any day you choose | Free |"
            ),
            replace(
                "payouts",
                "| Daily | every working day | Growth |",
                "| Daily | every working day | Free |",
            ),
        ),
        steps=(
            Ask(by="priya", at=2.6, of=("samira", "mara")),
            Verdict(by="samira", at=1.4, text="Correct from the 1st."),
        ),
    ),
    Proposal(
        space="billing",
        by="elena",
        at=1.2,
        subject="",
        status="draft",
        edit=replace("taxes", "once a month", "every night"),
    ),
    Proposal(
        space="troubleshooting",
        by="ruben",
        at=55.0,
        subject="Exports that stop at 99 percent",
        cluster="export-99",
        edit=replace(
            "exports", "for up to 20 minutes", "for up to 30 minutes on the last day of a month"
        ),
        steps=(Verdict(by="lee", at=54.0), Merge(by="ruben", at=53.9)),
    ),
    Proposal(
        space="troubleshooting",
        by="clara",
        at=4.9,
        subject="SSO: loops after signing out",
        description="19 conversations in two weeks, all the same.",
        cluster="sso-loop",
        edit=several(
            add("SSO loops after signing out", _SSO, below="sso"),
            replace(
                "sso",
                "Allow cookies for `quayside.example` or try a private window.",
                "See [SSO loops](sso-loops-after-signing-out.md).",
            ),
        ),
        steps=(
            Ask(by="clara", at=4.8, of=("ines", "mara")),
            Verdict(by="ines", at=3.7, status="changes-requested", text="Step 2 deletes too much."),
            Thread(
                by="ines",
                at=3.8,
                page="sso/sso-loops-after-signing-out",
                quote="Delete it",
                text="This also signs them out of the sandbox. Please warn.",
                replies=(Said(by="clara", at=3.5, text="Oh. Yes."),),
            ),
            Commit(
                by="clara",
                at=3.0,
                edit=replace(
                    "sso/sso-loops-after-signing-out",
                    "Delete it.",
                    "Delete it; you will have to sign in to the sandbox again as well.",
                ),
            ),
        ),
    ),
    Proposal(
        space="troubleshooting",
        by="jonas",
        at=15.4,
        subject="Declines: one table, four new codes",
        description="The four codes that banks added this year.",
        cluster="declines",
        edit=several(
            replace(
                "declines",
                "| `lost_card` | Your bank declined the payment. | no |",
                "| `lost_card` | Your bank declined the payment. | no |\n"
                "| `stolen_card` | Your bank declined the payment. | no |\n"
                "| `velocity` | Too many payments today. Please try tomorrow. | later |\n"
                "| `restricted` | Your bank does not allow this payment. | no |\n"
                "| `try_again` | Something went wrong. Please try again. | yes |",
            ),
            move("missing-payout", None, 2),
        ),
        steps=(Ask(by="jonas", at=15.3, of=("ruben",)), Verdict(by="ruben", at=13.9)),
    ),
    Proposal(
        space="troubleshooting",
        by="lee",
        at=0.3,
        subject="Webhooks: name the certificate problem",
        description="A chain without its middle is the most common cause this month.",
        cluster="webhooks-missing",
        edit=replace(
            "webhooks",
            "* *TLS error*: the chain lacks an intermediate certificate.",
            "* *TLS error*: the chain lacks an intermediate certificate. "
            "`openssl s_client -connect your.host:443` shows it: look for `verify error`.",
        ),
    ),
    Proposal(
        space="runbooks",
        by="lee",
        at=29.1,
        subject="Backlog: scale by eight, not by four",
        edit=append("webhook-backlog", "Eight workers cost about 3 EUR an hour. Scale down after."),
        steps=(Merge(by="lee", at=29.0),),
    ),
    Proposal(
        space="runbooks",
        by="kofi",
        at=6.7,
        subject="Payout file: the bank's new reasons",
        edit=several(
            replace(
                "payout-file",
                "2. `AC01` is one bad account:",
                "2. `AC01` or `AC04` is one bad account:",
            ),
            rename("payout-file", "Payout file refused", "payout-file-refused"),
        ),
        steps=(
            Thread(by="lee", at=6.0, page="payout-file-refused", quote="AC01", text="And `AC06`."),
        ),
    ),
    Proposal(
        space="changelog",
        by="bot",
        at=0.9,
        subject="March 2026",
        description="Collected from merged change requests. Please edit before the 3rd.",
        edit=several(
            add(
                "March 2026",
                "# March 2026\n\n**New:** Seven webhook attempts instead of five.\n\n"
                "**Better:** Holds last seven days.\n\n**Fixed:** Proration rounds once.",
                index=1,
            ),
            replace("readme", "* Reports are made four times faster.\n", ""),
        ),
        steps=(Ask(by="bot", at=0.9, of=("mara", "kofi")),),
    ),
    Proposal(
        space="changelog",
        by="tomas",
        at=20.0,
        subject="Link every entry to its page",
        status="draft",
        edit=replace("2026-02", "Payouts have `payments`.", "[Payouts](../api) have `payments`."),
    ),
)
"""The change requests of these spaces."""
