"""What happened in the second organization, where everybody has a day job."""

from __future__ import annotations

from copydesk.server.sample.edits import add, append, move, replace, several
from copydesk.server.sample.story import Ask, Become, Merge, Proposal, Said, Thread, Verdict

PEBBLEBOX: tuple[Proposal, ...] = (
    Proposal(
        space="manual",
        by="mei",
        at=80.0,
        subject="restore never overwrites, say so",
        edit=replace(
            "restore",
            "Restoring never overwrites:",
            "Restoring never overwrites anything, not even with `--force`:",
        ),
        steps=(Verdict(by="wren", at=78.0, text="thank you!!"), Merge(by="wren", at=77.9)),
    ),
    Proposal(
        space="manual",
        by="iker",
        at=34.0,
        subject="sweep needs less memory now",
        edit=replace(
            "everyday/retention", "as 1 GB for each terabyte", "as 400 MB for each terabyte"
        ),
        steps=(Merge(by="iker", at=33.5),),
    ),
    Proposal(
        space="manual",
        by="tomas",
        at=17.8,
        subject="Object storage: three providers, tried out",
        description="I pay for all three anyway. Prices are of last week.",
        edit=append(
            "boxes/object-storage",
            "| Provider | Works | A terabyte, monthly |\n| --- | --- | --- |\n"
            "| any with the S3 interface | yes | 6 to 23 EUR |\n"
            "| cold storage | yes, slowly | 1 EUR, and 20 to read it |\n"
            "| your own MinIO | yes | your electricity |",
        ),
        steps=(
            Ask(by="tomas", at=17.7, of=("mara", "saoirse")),
            Thread(
                by="mara",
                at=16.0,
                page="boxes/object-storage",
                quote="electricity",
                text="I laughed. Is *works* the same for append-only boxes?",
                replies=(
                    Said(by="tomas", at=15.0, text="Not on cold storage. I will add a column."),
                ),
                reactions={"😄": ("wren", "mei"), "🪨": ("iker",)},
            ),
            Verdict(by="saoirse", at=12.2),
        ),
    ),
    Proposal(
        space="manual",
        by="mei",
        at=5.6,
        subject="a page for people whose disk died just now",
        description="Written after last Tuesday. No explanations, only steps.",
        edit=several(
            add(
                "My disk just died",
                "# My disk just died\n\nBreathe. Nothing in your box is lost.\n\n"
                "1. Do not write to the broken disk any more.\n"
                "2. Install Pebblebox on any other machine.\n"
                "3. `pebblebox open /media/usb/box` and type the passphrase from the paper.\n"
                "4. `pebblebox restore latest --to ~/back`\n\n"
                "No paper? Look in your wallet, then in the book you were reading that week.",
                index=0,
            ),
            move("restore", None, 1),
        ),
        steps=(
            Ask(by="mei", at=5.5, of=("mara", "wren")),
            Thread(
                by="wren",
                at=4.2,
                text="This is the best page we have.",
                reactions={"💛": ("mei", "iker", "saoirse", "mara")},
            ),
            Thread(
                by="mara",
                at=3.9,
                page="my-disk-just-died",
                quote="pebblebox open",
                text="`open` is not in the list of commands. Is it new?",
                replies=(Said(by="mei", at=3.2, text="It comes with 2.3, next Sunday."),),
            ),
        ),
    ),
    Proposal(
        space="manual",
        by="pavel",
        at=61.0,
        subject="Windows: use winget",
        edit=replace(
            "install",
            "| Windows | download the archive and put `pebblebox.exe` on your path |",
            "| Windows | `winget install pebblebox` |",
        ),
        steps=(
            Thread(by="iker", at=60.0, text="Nobody has sent the package in yet, sorry."),
            Become(at=45.0, status="archived"),
        ),
    ),
    Proposal(
        space="manual",
        by="saoirse",
        at=20.4,
        subject="Checking belongs to the boxes",
        edit=several(
            move("everyday/check", "boxes", 0),
            append("boxes/check", "Do it before you trust a new box."),
        ),
        steps=(
            Ask(by="saoirse", at=20.3, of=("wren",)),
            Thread(
                by="iker",
                at=10.9,
                text="I moved it to Reference meanwhile, sorry! Which of us is right?",
                replies=(Said(by="saoirse", at=10.1, text="Both, so let us ask Wren."),),
            ),
        ),
    ),
    Proposal(
        space="manual",
        by="iker",
        at=13.0,
        subject="Checking belongs to the reference",
        edit=move("everyday/check", "reference", 1),
        steps=(Verdict(by="wren", at=12.0), Merge(by="iker", at=11.5)),
    ),
    Proposal(
        space="contributing",
        by="saoirse",
        at=8.3,
        subject="Conduct: say what happens next",
        edit=append("conduct", "They answer within three days and tell you what they will do."),
        steps=(Ask(by="saoirse", at=8.2, of=("wren", "iker")), Verdict(by="wren", at=7.0)),
    ),
    Proposal(
        space="contributing",
        by="mara",
        at=10.2,
        subject="Writing pages: a checklist",
        edit=append("pages", "- [ ] Ran it on a clean machine\n- [ ] Read it aloud once"),
        steps=(
            Thread(
                by="iker",
                at=9.4,
                page="pages",
                quote="Read it aloud",
                text="Aloud? My family will think I lost it.",
                reactions={"😄": ("mara", "wren")},
                replies=(Said(by="wren", at=9.1, text="Mine already do. +1"),),
            ),
        ),
    ),
    Proposal(
        space="contributing",
        by="mei",
        at=1.4,
        subject="build: mention the linker on Alpine",
        status="draft",
        edit=append("build", "On Alpine also `apk add musl-dev`."),
    ),
)
"""The change requests of Pebblebox."""
