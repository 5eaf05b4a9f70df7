import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from core.arguments import positive
from kb import summaries
from kb.summarisers.base import SummariesUnavailable


class Command(BaseCommand):
    help = (
        "Write summaries, keywords and suggested titles where they are missing: by the "
        "chat model of CHAT_MODEL, or else from the texts themselves. May be stopped "
        "and started again at any time; what people wrote stays."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--limit", type=positive, help="at most so many items")

    def handle(self, *args: Any, **options: Any) -> None:
        method, limit = summaries.summariser().method, options["limit"]
        waiting = summaries.waiting()
        total = waiting if limit is None else min(waiting, limit)
        try:
            with tqdm(total=total, unit="item", file=sys.stderr, disable=None) as bar:
                counts = summaries.generate(
                    timezone.now(), limit=limit, progress=bar.update
                )
        except SummariesUnavailable as error:
            raise CommandError(
                f"{method} does not answer ({error.detail}). What was written is kept; "
                "run the command again."
            ) from error
        items = "1 item" if counts.items == 1 else f"{counts.items} items"
        failed = f", {counts.failed} not answered with sense" if counts.failed else ""
        self.stdout.write(
            f"{items} summarised by {method}{failed}, {counts.left} left."
        )
