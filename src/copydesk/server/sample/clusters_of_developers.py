"""What developers struggle with, in their own words."""

from __future__ import annotations

from copydesk.server.sample.story import Struggle
from copydesk.server.sample.voices import bot, team, user, voice

OF_DEVELOPERS: tuple[Struggle, ...] = (
    Struggle(
        key="oauth-401",
        label="OAuth sample returns 401",
        icon="key",
        summary="People copy the token sample and get 401, because the address in it is the old "
        "one. The refresh step has no sample at all.",
        pulse=(0, 0, 1, 1, 0, 1, 2, 3, 3, 5, 6, 4, 5),
        sources=("intercom", "email", "intercom", "slack", "intercom", "zendesk"),
        voices=(
            voice(
                "Token endpoint in the docs gives 401",
                "Copied the curl sample; the v1 address refuses apps made this year.",
                "I copied the curl sample from your OAuth page and I get 401. The id and the "
                "secret work in the dashboard.",
                bot("Please check that the secret has no space at its end."),
                user("It has none. I think the address in the sample is old."),
                team("You are right, use /v2/oauth/token. We will fix the page."),
                user("That works. Thank you!"),
                also=(
                    "v1 token URL still in the docs?",
                    "Sample code does not authenticate",
                    "OAuth guide: which address is right?",
                    "Token call fails since we made a new app",
                ),
            ),
            voice(
                "Refresh token is refused",
                "Used the old refresh token a second time, as the page does not show the call.",
                "How do I refresh? The page says to exchange the token but not how.",
                bot("Send grant_type=refresh_token to the token address."),
                user("Got it. It worked once and now says invalid_grant."),
                team(
                    "Each refresh gives a new refresh token. Store that one; the old one is gone."
                ),
                user("Ah. One sentence on that page would have saved my afternoon."),
                also=(
                    "invalid_grant on the second refresh",
                    "How do I refresh a token?",
                    "Logged out after an hour, refresh fails",
                ),
            ),
            voice(
                "invalid_client with the copied snippet",
                "The sample's quoting breaks when the secret has a dollar sign.",
                "invalid_client although I pasted both values. Secret contains a $.",
                bot("Put the -u value into single quotes, so that the shell leaves it alone."),
                also=(
                    "Client secret with a dollar sign",
                    "invalid_client in bash, fine in Python",
                ),
            ),
            voice(
                "401 in Postman after following the guide",
                "Sends the sandbox client to the live address.",
                "Following the OAuth guide in Postman: 401 every time. Sandbox client.",
                team("Which address do you call?"),
                user("https://api.quayside.example/v1/oauth/token, from the guide."),
                team("Please take /v2. The guide is being corrected."),
                also=(
                    "Postman collection uses the old address",
                    "401 with sandbox client",
                    "Authorization header looks right, still 401",
                ),
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
            voice(
                "Guide says 50, header says 40",
                "The header's number is right; the guide is old.",
                "Your rate limits page says 50 writes a second. The header says 40. Which one?",
                team("The header. The page will follow."),
                user("Then my queue is too fast by a quarter, good to know."),
                also=(
                    "Which write limit is true?",
                    "Dashboard shows another limit than the docs",
                ),
            ),
            voice(
                "429 although below the limit",
                "Did not know that limits count per key.",
                "We get 429 at 30 requests a second. The limit is 50?",
                bot("Limits count per key. Do several programs share this one?"),
                user("Two. That explains it."),
                also=(
                    "Too many requests at 30 a second",
                    "Does the limit count per key or per account?",
                ),
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
            voice(
                "Comments in samples are invisible",
                "Contrast of comments on dark pages is too low.",
                "In dark mode I cannot read the comments in your code blocks.",
                team("Thank you. Which page, and which browser?"),
                user("Styling, Safari. Looks the same everywhere, though."),
                also=(
                    "Code unreadable in dark mode",
                    "Grey text on black in the styling page",
                ),
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
            voice(
                "No deliveries since this morning",
                "Endpoint was switched off after three days of errors.",
                "We get no webhooks since this morning. Nothing changed on our side.",
                bot("Is the endpoint switched on under Developers > Webhooks?"),
                user("It is off! Nobody here did that."),
                team(
                    "It failed for three days, so we switched it off and wrote to your developers."
                ),
                user("To an address that nobody reads. I changed it."),
                team("Switch it on, then replay the events of the three days."),
                also=(
                    "Webhooks stopped",
                    "Endpoint was switched off without a warning",
                    "No events at all today",
                ),
            ),
            voice(
                "TLS error in deliveries",
                "The server's chain lacks the intermediate certificate.",
                "All deliveries fail with a TLS error, but the browser opens the page.",
                team(
                    "Browsers fill in missing certificates; programs do not. Send the full chain."
                ),
                user("Indeed, certbot's fullchain file fixed it."),
                also=(
                    "Certificate is refused by your webhooks",
                    "TLS handshake fails for our endpoint",
                ),
            ),
            voice(
                "Deliveries stop at a redirect",
                "Entered the address without www.",
                "Delivery says 301. The page exists?",
                bot("We do not follow redirects. Enter the final address."),
                user("OK, with www it works."),
                also=(
                    "301 in the delivery log",
                    "Do you follow redirects?",
                ),
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
            voice(
                "What is velocity?",
                "Code is missing in the table.",
                "A payment failed with decline_code velocity. It is not in your table.",
                team("Too many payments in a day, says the bank. Tomorrow it will work."),
                user("What shall I show my customer?"),
                team("*Too many payments today. Please try tomorrow.*"),
                also=(
                    "Code velocity is not in the table",
                    "Customer may not pay twice a day?",
                ),
            ),
            voice(
                "Code restricted for a prepaid card",
                "Prepaid cards are refused for subscriptions.",
                "decline_code: restricted. Why?",
                bot("The bank does not allow this kind of payment with this card."),
                user("A list of all codes would be great."),
                also=(
                    "Prepaid cards fail",
                    "Is there a list of all decline codes?",
                    "What do I tell the customer?",
                ),
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
            voice(
                "How do I get webhooks on my laptop?",
                "Did not find quay listen.",
                "Is there a way to receive webhooks on localhost without a tunnel service?",
                bot("quay listen --forward localhost:4000"),
                user("Perfect. Why is that under Web SDK?"),
                also=(
                    "Webhooks on localhost",
                    "Is there a tunnel for development?",
                    "Testing events without a server",
                ),
            ),
        ),
    ),
)
"""Clusters about code."""
