import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from core.arguments import positive
from kb import embedding
from kb.embeddings.base import EmbeddingUnavailable


class Command(BaseCommand):
    help = (
        "Embed items and their sections that have no vector of the model in force, or "
        "one of an older text. May be stopped and started again at any time."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--batch-size", type=positive, help="sections sent to the model at once"
        )
        parser.add_argument("--limit", type=positive, help="at most so many items")
        parser.add_argument(
            "--model-changed",
            action="store_true",
            help="first the items that another model embedded: they were found before",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = self._embed(options)
            left = embedding.missing().count()
        except EmbeddingUnavailable as error:
            raise CommandError(
                f"The embedding provider fails ({error.detail}). What was embedded is "
                "kept; run the command again."
            ) from error
        refused = f", {counts.refused} refused by the model" if counts.refused else ""
        self.stdout.write(
            f"{counts.items} items embedded ({counts.sections} sections{refused}), "
            f"{left} left."
        )

    def _embed(self, options: dict[str, Any]) -> embedding.Counts:
        waiting = embedding.missing().count()
        with tqdm(
            total=min(waiting, options["limit"] or waiting),
            unit="item",
            file=sys.stderr,
            disable=None,  # unless a terminal
        ) as bar:
            return embedding.embed_missing(
                limit=options["limit"],
                batch=options["batch_size"],
                progress=bar.update,
                model_changed=options["model_changed"],
            )
