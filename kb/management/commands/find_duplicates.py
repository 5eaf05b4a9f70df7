import argparse
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from core.arguments import positive
from kb import duplicates
from kb.domain import jobs
from kb.embeddings.base import EmbeddingUnavailable


class Command(BaseCommand):
    help = (
        "Compare items that changed with their nearest neighbours, for near-duplicates "
        "and contradictions: the nightly job, for as long as it takes. May be stopped "
        "and started again at any time."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--limit", type=positive, help="at most so many items")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        try:
            with tqdm(
                total=duplicates.waiting(), unit="item", file=sys.stderr, disable=None
            ) as bar:
                run = jobs.run_once(
                    jobs.DUPLICATES,
                    now.date(),
                    lambda: asdict(
                        duplicates.find(
                            now, limit=options["limit"], progress=bar.update
                        )
                    ),
                    now=now,
                    again=True,
                )
        except EmbeddingUnavailable as error:
            raise CommandError(
                f"No model is in force ({error.detail}). Nothing was compared."
            ) from error
        if run.ran is jobs.Ran.ELSEWHERE:
            raise CommandError("Another process does this now. Nothing was done here.")
        told = "{items} items compared, {pairs} new pairs, {gone} gone, {left} left."
        self.stdout.write(told.format(**run.counts))
