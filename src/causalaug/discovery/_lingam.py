"""DirectLiNGAM (Shimizu et al., 2011), by the package lingam."""

from itertools import combinations, product
from typing import Any

import numpy as np

from causalaug.discovery._foreign import foreign_work, load
from causalaug.discovery._knowledge import Knowledge
from causalaug.discovery._pag import PAG
from causalaug.discovery._sample import Sample
from causalaug.graphs import ADMG
from causalaug.typing import IntArray

METHOD = "direct-lingam"


def direct_lingam(sample: Sample, knowledge: Knowledge, seed: int) -> PAG:
    """Find the causal order by pairwise likelihoods, then the edges by adaptive lasso."""
    lingam = load("lingam", METHOD)
    model = lingam.DirectLiNGAM(
        random_state=seed, prior_knowledge=_known_order(sample, knowledge), measure="pwling"
    )
    with foreign_work(METHOD):
        model.fit(sample.values)
    names = sample.columns
    order = [names[number] for number in model.causal_order_]
    coefficients = model.adjacency_matrix_
    edges = [
        (names[cause], names[effect])
        for effect, cause in zip(*np.nonzero(coefficients), strict=True)
    ]
    barred = {effect for _, effect in knowledge.forbidden}
    edges = [edge for edge in edges if edge[1] not in barred]
    for effect in sorted(barred, key=order.index):
        edges += _edges_to(effect, order, sample, knowledge)
    return PAG.from_admg(ADMG(names, {*edges, *knowledge.required}))


def _known_order(sample: Sample, knowledge: Knowledge) -> IntArray | None:
    """Return what lingam is told: entry (to, from) is 1 if there is a path, 0 if there is none.

    Forbidden edges are no part of it, since a path may lead around them.
    """
    place = {name: number for number, name in enumerate(sample.columns)}
    told = np.full((len(place), len(place)), -1)
    for cause, effect in knowledge.required:
        told[place[effect], place[cause]] = 1
    for early, late in combinations(knowledge.tiers, 2):
        for cause, effect in product(late, early):
            told[place[effect], place[cause]] = 0
    return told if np.any(told >= 0) else None


def _edges_to(
    effect: str, order: list[str], sample: Sample, knowledge: Knowledge
) -> list[tuple[str, str]]:
    """Return the edges to one variable from those before it that may be its causes."""
    earlier = order[: order.index(effect)]
    causes = [name for name in earlier if knowledge.permits(name, effect)]
    if not causes:
        return []
    utils: Any = load("lingam.utils", METHOD)
    numbers = [sample.columns.index(name) for name in causes]
    with foreign_work(METHOD):
        found = utils.predict_adaptive_lasso(sample.values, numbers, sample.columns.index(effect))
    return [(cause, effect) for cause, size in zip(causes, found, strict=True) if size]
