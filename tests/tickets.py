"""Support tickets as people write them: four problems in three languages, and what is none of them.

Which words a ticket has follows from its number alone: the same tickets come out every time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

PROBLEMS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "webhook": {
        "en": (
            "Since we rotated the signing key every webhook is rejected with signature invalid.",
            "Webhook signature verification fails after the key rotation, payloads look fine.",
            "Our endpoint answers 401 because the signature of your webhooks is wrong since today.",
            "How do I verify the webhook signature? The new signing secret does not match.",
            "All webhook deliveries are refused, the signature header cannot be verified.",
            "The webhook secret was rotated and now signatures never match our computed hash.",
        ),
        "de": (
            "Seit wir den Schlüssel erneuert haben, ist die Signatur jedes Webhooks ungültig.",
            "Die Webhook-Signatur stimmt nach dem Schlüsselwechsel nicht mehr.",
            "Unser Server lehnt alle Webhooks ab, die Signatur kann nicht geprüft werden.",
            "Wie prüfe ich die Signatur der Webhooks mit dem neuen Schlüssel?",
        ),
        "es": (
            "Desde que rotamos la clave, la firma de cada webhook es inválida.",
            "La verificación de la firma del webhook falla con la clave nueva.",
            "Nuestro servidor rechaza los webhooks porque la firma no coincide.",
            "¿Cómo verifico la firma de los webhooks después de rotar la clave?",
        ),
    },
    "invoice": {
        "en": (
            "Where can I download the invoice as a PDF? Our accountant needs it for last month.",
            "The invoice PDF for March is missing on the billing page.",
            "I cannot find my invoices anymore, billing only shows the current plan.",
            "Please send the invoice, the download button on the billing page does nothing.",
            "Invoices in billing open as an empty PDF, we need them for the tax office.",
            "Our accounting asks for all invoices of the year, where is the PDF export?",
        ),
        "de": (
            "Wo finde ich die Rechnung als PDF? Unsere Buchhaltung braucht sie.",
            "Die Rechnung für März fehlt auf der Abrechnungsseite.",
            "Ich kann keine Rechnungen herunterladen, das PDF ist leer.",
            "Bitte schicken Sie mir die Rechnung, der Download geht nicht.",
        ),
        "es": (
            "¿Dónde descargo la factura en PDF? La necesita contabilidad.",
            "Falta la factura de marzo en la página de facturación.",
            "No puedo descargar mis facturas, el PDF sale vacío.",
            "Por favor envíen la factura, el botón de descarga no funciona.",
        ),
    },
    "login": {
        "en": (
            "After single sign-on I land on the login page again and again, an endless redirect.",
            "SSO login loops: Okta says yes and your login page asks again.",
            "No one in our company can sign in, the SSO redirect goes round in circles.",
            "The login page reloads forever after we sign in with SSO.",
            "Sign in with Okta redirects to login, then Okta, then login, without end.",
            "Since the update our single sign-on login ends in a redirect loop.",
        ),
        "de": (
            "Nach der Anmeldung mit SSO lande ich immer wieder auf der Anmeldeseite.",
            "Die SSO-Anmeldung leitet endlos weiter, niemand kommt hinein.",
            "Anmelden mit Okta führt in eine Schleife aus Weiterleitungen.",
            "Seit dem Update endet die Anmeldung per SSO in einer Endlosschleife.",
        ),
        "es": (
            "Después del inicio de sesión con SSO vuelvo siempre a la página de inicio de sesión.",
            "El inicio de sesión SSO redirige sin fin, nadie puede entrar.",
            "Iniciar sesión con Okta acaba en un bucle de redirecciones.",
            "Desde la actualización el inicio de sesión por SSO es un bucle.",
        ),
    },
    "export": {
        "en": (
            "The CSV export stops at 99 percent and never finishes.",
            "Exporting our report to CSV hangs, the progress bar stays at 99 percent.",
            "Export of a large table to CSV times out every time.",
            "CSV export has been running for three hours, the file never arrives.",
            "When I export the report the CSV file is cut off in the middle.",
            "Is there a limit on rows for the CSV export? It hangs with our big table.",
        ),
        "de": (
            "Der CSV-Export bleibt bei 99 Prozent stehen.",
            "Der Export des Berichts als CSV hängt und wird nie fertig.",
            "Beim Export einer großen Tabelle als CSV kommt keine Datei.",
            "Der CSV-Export läuft seit drei Stunden ohne Ergebnis.",
        ),
        "es": (
            "La exportación CSV se detiene en el 99 por ciento.",
            "Exportar el informe a CSV se queda colgado y nunca termina.",
            "La exportación de una tabla grande a CSV no entrega el archivo.",
            "El CSV de la exportación sale cortado por la mitad.",
        ),
    },
}
"""What people say, by problem and language."""

OTHER: Sequence[str] = (
    "Do you sponsor conferences for students?", "Congratulations on the new office!",
    "My colleague left, who owns her drawings now?", "Is the museum partnership still planned?",
    "Can the mascot be printed on mugs?", "Which font is the logo set in?",
    "We would like to interview your founder for a podcast.", "Do you hire gardeners in Porto?",
    "Your newsletter made me laugh, thank you.", "May I translate your handbook into Basque?",
    "The coffee machine at your booth was great.", "How large is the whale on the poster?",
    "I lost an umbrella at the meetup.", "Is there a discount for choirs?",
    "Ihr Vortrag in Leipzig war sehr schön.", "Gibt es Aufkleber mit dem Walfisch?",
    "Wann ist das nächste Sommerfest?", "Suchen Sie noch eine Köchin?",
    "¿Tienen pegatinas para el coche?", "Mi abuela les manda saludos.",
    "¿Cuándo visitan la universidad de Sevilla?", "Busco prácticas de fotografía.",
    "Does the building have parking for bicycles?", "Our dog ate the printed quick guide.",
    "Please remove my photo from the team wall.", "Who composed the tune in the advert?",
    "I dreamt of your dashboard last night.", "Could you recommend a dentist nearby?",
    "What was the weather like at the launch?", "My son wants to visit a data centre.",
)  # fmt: skip
"""What is no problem of anybody else: one or two tell it where it comes to 60 tickets."""

GREETINGS: Mapping[str, Sequence[str]] = {
    "en": ("Hi,", "Hello team,", "Good morning,", ""),
    "de": ("Hallo,", "Guten Tag,", "Moin,", ""),
    "es": ("Hola,", "Buenos días,", "Buenas,", ""),
}
ENDS: Mapping[str, Sequence[str]] = {
    "en": ("Thanks, Kim", "Best regards", "Please help, it is urgent.", ""),
    "de": ("Danke im Voraus", "Viele Grüße", "Es eilt leider.", ""),
    "es": ("Gracias", "Un saludo", "Es urgente, por favor.", ""),
}

LANGUAGES = ("en", "en", "de", "es")
"""Every second ticket is in English."""


def tickets(
    name: str, counts: Mapping[str, int], begin: datetime, end: datetime
) -> Iterator[dict[str, Any]]:
    """Yield so many tickets of each problem, spread over a time; "" is none of them.

    Their ids begin with ``name`` and the problem.
    """
    for problem, count in counts.items():
        for nth in range(count):
            draw = Random(f"{name} {problem} {nth}")
            language = draw.choice(LANGUAGES)
            if problem:
                said = list(PROBLEMS[problem][language])
                draw.shuffle(said)
                words = " ".join(said[: draw.choice((1, 1, 2))])
            else:
                language, words = "en", OTHER[nth % len(OTHER)]
            at = begin + (end - begin) * (nth + 0.5) / count
            body = "\n\n".join(
                filter(None, (draw.choice(GREETINGS[language]), words, draw.choice(ENDS[language])))
            )
            yield {
                "id": f"{name}-{problem or 'other'}-{nth}",
                "subject": words.split(".")[0][:60] if nth % 3 else "",
                "parts": [
                    {"type": "message", "role": "user", "body": body},
                    {"type": "message", "role": "team-member", "body": "We look into it."},
                ],
                "metadata": {
                    "createdAt": at.isoformat(timespec="seconds"),
                    "url": f"https://help.example/{name}/{problem or 'other'}/{nth}",
                    "attributes": {"source": draw.choice(("zendesk", "email"))},
                },
            }
