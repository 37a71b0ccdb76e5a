"""What merchants and their teams struggle with, in their own words."""

from __future__ import annotations

from copydesk.server.sample.story import Struggle, Voice
from copydesk.server.sample.voices import bot, team, user, voice

OF_MERCHANTS: tuple[Struggle, ...] = (
    Struggle(
        key="invoice-pdf",
        label="Where is the invoice PDF",
        icon="receipt",
        summary="The menu moved in January. People look under Settings, as the page said.",
        pulse=(2, 2, 3, 2, 2, 3, 2, 2, 2, 2, 2, 2, 1),
        sources=("email", "intercom", "email", "zendesk"),
        voices=(
            voice(
                "No invoices under Settings",
                "Looks for the old menu.",
                "My accountant wants the invoice of last month. There is no Billing in Settings.",
                bot("Invoices are under Billing > Documents."),
                user("Found it, thanks."),
                also=(
                    "Where are my invoices?",
                    "Cannot find the PDF for January",
                    "Billing is gone from Settings",
                    "Invoice download moved?",
                ),
            ),
            voice(
                "Invoice goes to a person who left",
                "Wants invoices by e-mail to another address.",
                "Invoices are mailed to a colleague who left. Where can I change that?",
                team("Billing > Documents > Recipients. You need to be an owner."),
                user("I am. Done. Can you resend February?"),
                team("Sent."),
                also=(
                    "Change the invoice's e-mail address",
                    "Accountant should get the invoices",
                    "Send invoices to two people",
                ),
            ),
        ),
    ),
    Struggle(
        key="sso-loop",
        label="SSO loop after signing out",
        icon="arrows-rotate",
        summary="Since the new sign-out address, companies with SSO are signed in again at once.",
        pulse=(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 6, 9),
        sources=("slack", "intercom", "slack", "email", "discord"),
        voices=(
            voice(
                "Cannot sign out",
                "Signed in again immediately after signing out.",
                "I click Sign out and one second later I am signed in again.",
                bot("Please clear the cookies of quayside.example."),
                user("Did that. Same."),
                team("Does your company use SSO? Its sign-out address has to end in /sso/done."),
                user("It ended in /sso/logout. Our admin changed it, now it works."),
                also=(
                    "Sign out signs me in again",
                    "Log out does nothing",
                    "Signing out on a shared computer",
                ),
            ),
            voice(
                "Endless redirects in Firefox",
                "Old cookie from before the change of domain.",
                "Firefox: *this page is not redirecting properly*. Chrome is fine.",
                team("Delete the cookie of quayside.example in Firefox, please."),
                user("Solved. How should anybody know that?"),
                also=(
                    "Too many redirects after sign in",
                    "Redirect loop since the weekend",
                ),
            ),
            voice(
                "Whole team locked out on Monday",
                "Sign-in goes back and forth for 30 people.",
                "None of our 30 people can get in since this morning. It loops.",
                team("We see it. Can your admin open the connection's settings?"),
                user("Yes, she is here."),
                team("Sign-out address: replace /sso/logout by /sso/done and save."),
                user("We are in. Thanks for the quick help."),
                team("Glad to hear it. We put this on the troubleshooting page."),
                user("Good idea."),
                also=(
                    "SSO sends us in circles",
                    "Nobody can get in with Okta",
                    "Sign-in loop for the whole company",
                ),
            ),
        ),
    ),
    Struggle(
        key="export-99",
        label="Export stuck at 99 percent",
        icon="file-export",
        summary="Packing takes up to 30 minutes at the end of a month; the bar does not say so.",
        pulse=(1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1),
        sources=("zendesk", "email"),
        voices=(
            voice(
                "Export does not finish",
                "Waited ten minutes at 99 percent and started again.",
                "The export is at 99 percent for ten minutes. I started it three times now.",
                team("It packs the file. Please let one of them run for half an hour."),
                user("It was there after 22 minutes."),
                also=(
                    "99 percent for ten minutes",
                    "Export of March hangs",
                    "Large export never ends",
                ),
            ),
        ),
    ),
    Struggle(
        key="proration",
        label="Proration does not add up",
        icon="scale-balanced",
        summary="The sentence on the plans page is not enough; the dashboard is off by a cent.",
        pulse=(1, 2, 1, 2, 1, 2, 1, 2, 2, 2, 2, 2, 2),
        sources=("email", "intercom", "zendesk"),
        voices=(
            voice(
                "Paid 107.33 instead of 107.34",
                "The dashboard rounds line by line.",
                "Why 107.33? I calculate 107.34 for the upgrade.",
                team("You are right by one cent. The dashboard rounds each line."),
                user("Fine for me, not for my accountant."),
                team("We corrected the invoice."),
                also=(
                    "A cent is missing on the upgrade",
                    "Rounding on the invoice",
                    "Invoice and dashboard differ by a cent",
                ),
            ),
            voice(
                "What do I pay when I go up on the 11th?",
                "Wants an example.",
                "I am on Growth and want Scale from the 11th. What will it cost this month?",
                bot("The difference for the days that are left."),
                user("In euros?"),
                team("107.34 EUR. I attach the calculation."),
                also=(
                    "Cost of an upgrade in the middle of a month",
                    "How is proration calculated?",
                    "Upgrade price before I press the button?",
                ),
            ),
        ),
    ),
    Struggle(
        key="vat-number",
        label="VAT number is not accepted",
        icon="percent",
        summary="New since last week: numbers with a country prefix in lower case are refused.",
        pulse=(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4),
        sources=("email", "zendesk", "intercom"),
        voices=(
            voice(
                "Valid VAT number is refused",
                "Entered pt instead of PT.",
                "My VAT number pt123456789 is valid, but the form says it is not.",
                team("Please enter PT in capitals until we fix the form."),
                user("Accepted now."),
                also=(
                    "VAT field rejects our number",
                    "Cannot save the VAT number",
                ),
            ),
        ),
    ),
    Struggle(
        key="terminal-lights",
        label="Reader shows no light",
        icon="lightbulb",
        summary="The reader is asleep. The page lists every light but none at all.",
        pulse=(0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0),
        sources=("intercom", "email"),
        voices=(
            voice(
                "Terminal is dead",
                "Reader asleep, taken for broken.",
                "The reader has no light and does not react. New battery?",
                team("Tap it with a card, please. It sleeps after ten minutes."),
                user("It woke up. Embarrassing, but your page does not say so."),
            ),
        ),
    ),
)
"""Clusters about money, accounts and devices."""

LOOSE: tuple[tuple[str, float, Voice], ...] = (
    (
        "email",
        0.2,
        voice(
            "Can I pay my team out of the balance?",
            "Asks for payouts to several people.",
            "We would like to pay eleven helpers directly from our balance. Possible?",
            team("Not yet. You can pay out to one account only."),
        ),
    ),
    (
        "discord",
        1.4,
        voice(
            "Type definitions for Deno",
            "The package's types do not resolve.",
            "import from npm works in Deno, but there are no types. Known?",
            bot("Types are in the package since 4.1. Which version do you have?"),
            user("4.0.9. Updating helped."),
        ),
    ),
    (
        "zendesk",
        3.3,
        voice(
            "Screen reader says 'frame' four times",
            "The card form's frames have no titles.",
            "I use a screen reader. In your card form it says *frame* before each field and "
            "nothing else.",
            team("Thank you for telling us. Each field will get its name."),
            user("When?"),
            team("With version 4.3, in about two weeks. I will write to you."),
        ),
    ),
    (
        "slack",
        8.0,
        voice(
            "Which region holds our reports?",
            "Moved the company from London to Lisbon.",
            "We moved to Lisbon. Are our reports still made in London?",
            team("Yes, the region of an account stays. A new account would be in Dublin."),
        ),
    ),
)
"""Conversations whose issues nobody has put into a cluster: (source, days ago, what was said)."""
