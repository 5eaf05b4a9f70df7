"""What else recognises a failure: each takes the records and answers a paste."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import bm25s
import numpy as np
import Stemmer
from drain3 import TemplateMiner
from drain3.template_miner_config import TemplateMinerConfig
from rapidfuzz import fuzz, process

from bench.embedder import CachedEmbedder

BEST = 5
Records = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Answer:
    """Slugs in order, and how sure the first is (in units of the one who answers)."""

    slugs: list[str]
    score: float


Ask = Callable[[str], Answer]


def all_of(records: Records) -> dict[str, Ask]:
    return {
        "BM25": bm25(records),
        "cosine": cosine(records),
        "rapidfuzz": partial_ratio(records),
        "Drain3": drain(records),
    }


def bm25(records: Records) -> Ask:
    """Title, messages and explanation."""
    stemmer = Stemmer.Stemmer("english")
    how: dict[str, Any] = {
        "stopwords": "en",
        "stemmer": stemmer,
        "show_progress": False,
    }
    index = bm25s.BM25(k1=1.2, b=0.75)
    texts = [" ".join([r["title"], *r["symptoms"], r["why"]]) for r in records]
    index.index(bm25s.tokenize(texts, **how), show_progress=False)

    def ask(text: str) -> Answer:
        (words,) = bm25s.tokenize([text], return_ids=False, **how)
        known = [word for word in words if word in index.vocab_dict]
        scores = index.get_scores(known) if known else np.zeros(len(records))
        return _best(records, scores)

    return ask


def cosine(records: Records) -> Ask:
    """The local model over title and messages."""
    embedder = CachedEmbedder()
    texts = [" ".join([r["title"], *r["symptoms"]])[:24_000] for r in records]
    vectors = np.array(embedder.embed_passages(texts))

    def ask(text: str) -> Answer:
        return _best(records, vectors @ np.array(embedder.embed_query(text)))

    return ask


def partial_ratio(records: Records) -> Ask:
    """rapidfuzz over the messages."""
    texts = [symptom.lower() for r in records for symptom in r["symptoms"]]
    slugs = [r["slug"] for r in records for _ in r["symptoms"]]

    def ask(text: str) -> Answer:
        found = process.extract(
            text.lower(), texts, scorer=fuzz.partial_ratio, limit=BEST * 4
        )
        # Of equal ratios the longest message says most.
        found = sorted(found, key=lambda row: (-row[1], -len(row[0])))
        ranked = list(dict.fromkeys(slugs[place] for _, _, place in found))
        return Answer(ranked[:BEST], float(found[0][1]) if found else 0.0)

    return ask


def drain(records: Records) -> Ask:
    """Templates mined from the messages; the first line of a paste that fits one."""
    config = TemplateMinerConfig()
    config.drain_sim_th = 0.5
    miner = TemplateMiner(config=config)
    owners: dict[int, list[str]] = {}
    for record in records:
        for symptom in record["symptoms"]:
            cluster = miner.add_log_message(symptom)["cluster_id"]
            owners.setdefault(cluster, []).append(record["slug"])

    def ask(text: str) -> Answer:
        for line in text.split("\n"):
            cluster = miner.match(line.strip())
            if cluster is not None:
                ranked = list(dict.fromkeys(owners[cluster.cluster_id]))
                return Answer(ranked[:BEST], 1.0)
        return Answer([], 0.0)

    return ask


def _best(records: Records, scores: Any) -> Answer:
    order = np.argsort(-scores, kind="stable")[:BEST]
    slugs = [records[place]["slug"] for place in order if scores[place] > 0]
    return Answer(slugs, float(scores[order[0]]))
