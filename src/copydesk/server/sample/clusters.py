"""What readers of the first organization struggle with, in their own words."""

from __future__ import annotations

from copydesk.server.sample.story import Struggle, Voice


def _voice(title: str, summary: str, question: str, *turns: tuple[str, str]) -> Voice:
    return Voice(title=title, summary=summary, question=question, turns=turns)


def _user(body: str) -> tuple[str, str]:
    return "user", body


def _bot(body: str) -> tuple[str, str]:
    return "assistant", body


def _team(body: str) -> tuple[str, str]:
    return "team-member", body


STRUGGLES: tuple[Struggle, ...] = (
    Struggle(
        key="oauth-401",
        label="OAuth sample returns 401",
        icon="key",
        summary="People copy the token sample and get 401, because the address in it is the old "
        "one. The refresh step has no sample at all.",
        pulse=(0, 0, 1, 1, 0, 1, 2, 3, 3, 5, 6, 4, 5),
        sources=("intercom", "email", "intercom", "slack", "intercom", "zendesk"),
        voices=(
            _voice(
                "Token endpoint in the docs gives 401",
                "Copied the curl sample; the v1 address refuses apps made this year.",
                "I copied the curl sample from your OAuth page and I get 401. The id and the "
                "secret work in the dashboard.",
                _bot("Please check that the secret has no space at its end."),
                _user("It has none. I think the address in the sample is old."),
                _team("You are right, use /v2/oauth/token. We will fix the page."),
                _user("That works. Thank you!"),
            ),
            _voice(
                "Refresh token is refused",
                "Used the old refresh token a second time, as the page does not show the call.",
                "How do I refresh? The page says to exchange the token but not how.",
                _bot("Send grant_type=refresh_token to the token address."),
                _user("Got it. It worked once and now says invalid_grant."),
                _team(
                    "Each refresh gives a new refresh token. Store that one; the old one is gone."
                ),
                _user("Ah. One sentence on that page would have saved my afternoon."),
            ),
            _voice(
                "invalid_client with the copied snippet",
                "The sample's quoting breaks when the secret has a dollar sign.",
                "invalid_client although I pasted both values. Secret contains a $.",
                _bot("Put the -u value into single quotes, so that the shell leaves it alone."),
            ),
            _voice(
                "401 in Postman after following the guide",
                "Sends the sandbox client to the live address.",
                "Following the OAuth guide in Postman: 401 every time. Sandbox client.",
                _team("Which address do you call?"),
                _user("https://api.quayside.example/v1/oauth/token, from the guide."),
                _team("Please take /v2. The guide is being corrected."),
            ),
        ),
    ),
    Struggle(
        key="invoice-pdf",
        label="Where is the invoice PDF",
        icon="receipt",
        summary="The menu moved in January. People look under Settings, as the page said.",
        pulse=(2, 2, 3, 2, 2, 3, 2, 2, 2, 2, 2, 2, 1),
        sources=("email", "intercom", "email", "zendesk"),
        voices=(
            _voice(
                "No invoices under Settings",
                "Looks for the old menu.",
                "My accountant wants the invoice of last month. There is no Billing in Settings.",
                _bot("Invoices are under Billing > Documents."),
                _user("Found it, thanks."),
            ),
            _voice(
                "Invoice goes to a person who left",
                "Wants invoices by e-mail to another address.",
                "Invoices are mailed to a colleague who left. Where can I change that?",
                _team("Billing > Documents > Recipients. You need to be an owner."),
                _user("I am. Done. Can you resend February?"),
                _team("Sent."),
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
            _voice(
                "Cannot sign out",
                "Signed in again immediately after signing out.",
                "I click Sign out and one second later I am signed in again.",
                _bot("Please clear the cookies of quayside.example."),
                _user("Did that. Same."),
                _team("Does your company use SSO? Its sign-out address has to end in /sso/done."),
                _user("It ended in /sso/logout. Our admin changed it, now it works."),
            ),
            _voice(
                "Endless redirects in Firefox",
                "Old cookie from before the change of domain.",
                "Firefox: *this page is not redirecting properly*. Chrome is fine.",
                _team("Delete the cookie of quayside.example in Firefox, please."),
                _user("Solved. How should anybody know that?"),
            ),
            _voice(
                "Whole team locked out on Monday",
                "Sign-in goes back and forth for 30 people.",
                "None of our 30 people can get in since this morning. It loops.",
                _team("We see it. Can your admin open the connection's settings?"),
                _user("Yes, she is here."),
                _team("Sign-out address: replace /sso/logout by /sso/done and save."),
                _user("We are in. Thanks for the quick help."),
                _team("Glad to hear it. We put this on the troubleshooting page."),
                _user("Good idea."),
            ),
        ),
    ),
    Struggle(
        key="rate-limit-numbers",
        label="Rate limit numbers differ",
        icon="gauge",
        summary="Guide, dashboard and headers name three different write limits.",
        pulse=(3, 4, 3, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0),
        sources=("discord", "email", "slack"),
        voices=(
            _voice(
                "Guide says 50, header says 40",
                "The header's number is right; the guide is old.",
                "Your rate limits page says 50 writes a second. The header says 40. Which one?",
                _team("The header. The page will follow."),
                _user("Then my queue is too fast by a quarter, good to know."),
            ),
            _voice(
                "429 although below the limit",
                "Did not know that limits count per key.",
                "We get 429 at 30 requests a second. The limit is 50?",
                _bot("Limits count per key. Do several programs share this one?"),
                _user("Two. That explains it."),
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
            _voice(
                "Export does not finish",
                "Waited ten minutes at 99 percent and started again.",
                "The export is at 99 percent for ten minutes. I started it three times now.",
                _team("It packs the file. Please let one of them run for half an hour."),
                _user("It was there after 22 minutes."),
            ),
        ),
    ),
    Struggle(
        key="dark-code",
        label="Dark mode code is unreadable",
        icon="moon",
        summary="Grey on black in samples of the Web SDK.",
        pulse=(0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1),
        sources=("discord", "discord", "intercom"),
        voices=(
            _voice(
                "Comments in samples are invisible",
                "Contrast of comments on dark pages is too low.",
                "In dark mode I cannot read the comments in your code blocks.",
                _team("Thank you. Which page, and which browser?"),
                _user("Styling, Safari. Looks the same everywhere, though."),
            ),
        ),
    ),
    Struggle(
        key="webhooks-missing",
        label="Webhooks do not arrive",
        icon="satellite-dish",
        summary="Mostly certificate chains and redirects. One week in January was our own outage.",
        pulse=(1, 1, 1, 2, 1, 14, 2, 1, 1, 1, 2, 1, 2),
        sources=("email", "slack", "intercom", "zendesk", "discord"),
        voices=(
            _voice(
                "No deliveries since this morning",
                "Endpoint was switched off after three days of errors.",
                "We get no webhooks since this morning. Nothing changed on our side.",
                _bot("Is the endpoint switched on under Developers > Webhooks?"),
                _user("It is off! Nobody here did that."),
                _team(
                    "It failed for three days, so we switched it off and wrote to your developers."
                ),
                _user("To an address that nobody reads. I changed it."),
                _team("Switch it on, then replay the events of the three days."),
            ),
            _voice(
                "TLS error in deliveries",
                "The server's chain lacks the intermediate certificate.",
                "All deliveries fail with a TLS error, but the browser opens the page.",
                _team(
                    "Browsers fill in missing certificates; programs do not. Send the full chain."
                ),
                _user("Indeed, certbot's fullchain file fixed it."),
            ),
            _voice(
                "Deliveries stop at a redirect",
                "Entered the address without www.",
                "Delivery says 301. The page exists?",
                _bot("We do not follow redirects. Enter the final address."),
                _user("OK, with www it works."),
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
            _voice(
                "Paid 107.33 instead of 107.34",
                "The dashboard rounds line by line.",
                "Why 107.33? I calculate 107.34 for the upgrade.",
                _team("You are right by one cent. The dashboard rounds each line."),
                _user("Fine for me, not for my accountant."),
                _team("We corrected the invoice."),
            ),
            _voice(
                "What do I pay when I go up on the 11th?",
                "Wants an example.",
                "I am on Growth and want Scale from the 11th. What will it cost this month?",
                _bot("The difference for the days that are left."),
                _user("In euros?"),
                _team("107.34 EUR. I attach the calculation."),
            ),
        ),
    ),
    Struggle(
        key="declines",
        label="Decline codes nobody explains",
        icon="credit-card",
        summary="Four codes that banks added this year are on no page.",
        pulse=(0, 0, 1, 0, 1, 1, 1, 2, 1, 2, 2, 3, 3),
        sources=("intercom", "slack", "email", "intercom"),
        voices=(
            _voice(
                "What is velocity?",
                "Code is missing in the table.",
                "A payment failed with decline_code velocity. It is not in your table.",
                _team("Too many payments in a day, says the bank. Tomorrow it will work."),
                _user("What shall I show my customer?"),
                _team("*Too many payments today. Please try tomorrow.*"),
            ),
            _voice(
                "Code restricted for a prepaid card",
                "Prepaid cards are refused for subscriptions.",
                "decline_code: restricted. Why?",
                _bot("The bank does not allow this kind of payment with this card."),
                _user("A list of all codes would be great."),
            ),
        ),
    ),
    Struggle(
        key="sandbox-webhooks",
        label="Testing webhooks on localhost",
        icon="laptop-code",
        summary="People do not find the command line tool; it is below the Web SDK.",
        pulse=(2, 3, 2, 1, 2, 1, 1, 1, 0, 1, 0, 0, 1),
        sources=("discord", "slack"),
        voices=(
            _voice(
                "How do I get webhooks on my laptop?",
                "Did not find quay listen.",
                "Is there a way to receive webhooks on localhost without a tunnel service?",
                _bot("quay listen --forward localhost:4000"),
                _user("Perfect. Why is that under Web SDK?"),
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
            _voice(
                "Valid VAT number is refused",
                "Entered pt instead of PT.",
                "My VAT number pt123456789 is valid, but the form says it is not.",
                _team("Please enter PT in capitals until we fix the form."),
                _user("Accepted now."),
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
            _voice(
                "Terminal is dead",
                "Reader asleep, taken for broken.",
                "The reader has no light and does not react. New battery?",
                _team("Tap it with a card, please. It sleeps after ten minutes."),
                _user("It woke up. Embarrassing, but your page does not say so."),
            ),
        ),
    ),
)
"""The clusters, with the number of their issues in each of 13 weeks, the latest last."""

LOOSE: tuple[tuple[str, float, Voice], ...] = (
    (
        "email",
        0.2,
        _voice(
            "Can I pay my team out of the balance?",
            "Asks for payouts to several people.",
            "We would like to pay eleven helpers directly from our balance. Possible?",
            _team("Not yet. You can pay out to one account only."),
        ),
    ),
    (
        "discord",
        1.4,
        _voice(
            "Type definitions for Deno",
            "The package's types do not resolve.",
            "import from npm works in Deno, but there are no types. Known?",
            _bot("Types are in the package since 4.1. Which version do you have?"),
            _user("4.0.9. Updating helped."),
        ),
    ),
    (
        "zendesk",
        3.3,
        _voice(
            "Screen reader says 'frame' four times",
            "The card form's frames have no titles.",
            "I use a screen reader. In your card form it says *frame* before each field and "
            "nothing else.",
            _team("Thank you for telling us. Each field will get its name."),
            _user("When?"),
            _team("With version 4.3, in about two weeks. I will write to you."),
        ),
    ),
    (
        "slack",
        8.0,
        _voice(
            "Which region holds our reports?",
            "Moved the company from London to Lisbon.",
            "We moved to Lisbon. Are our reports still made in London?",
            _team("Yes, the region of an account stays. A new account would be in Dublin."),
        ),
    ),
)
"""Conversations whose issues nobody has put into a cluster: (source, days ago, what was said)."""
