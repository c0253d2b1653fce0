"""All kinds of cases, and the time that each gets."""

from fuzz import damage, differential, frames, graph_objects, graph_texts, predictions, processes
from fuzz.cases import Kind

GRAPHS, FRAMES, KILLS = "graph texts", "frames", "kills and interrupts"
PREDICTIONS = "predictions of hostile tables"
ON_DEMAND = 0.0
"""The share of kinds that are run only if they are named: the others have their like."""


def all_kinds():
    """Return the kinds by name; Graphviz is asked where it is installed."""
    kinds = [
        *(
            Kind(name, GRAPHS, graph_texts.reads_what_was_written(name), 0.01)
            for name in graph_texts.FORMATS
        ),
        Kind("written-and-read", GRAPHS, graph_texts.reads_back, 0.01),
        Kind("mutated", GRAPHS, graph_texts.mutated, 0.03),
        Kind("noise", GRAPHS, graph_texts.noise, 0.01),
        Kind("objects", "graph objects", graph_objects.reads_objects, 0.01),
        Kind("odd-objects", "graph objects", graph_objects.odd_objects, 0.02),
        Kind("augment", FRAMES, frames.augments, 0.25),
        Kind("model", FRAMES, frames.asks_a_model, 0.12),
        Kind("complete", FRAMES, frames.completes, 0.05),
        Kind("check", FRAMES, frames.checks_a_graph, 0.05),
        Kind("graph-learner", FRAMES, frames.fits_a_graph_learner, 0.08),
        Kind("learner", FRAMES, frames.fits_a_learner, 0.08),
        Kind("augmenter", FRAMES, frames.resamples, 0.05),
        Kind("average-stream", FRAMES, frames.averages_and_streams, 0.05),
        Kind("compare", FRAMES, frames.compares, 0.04),
        Kind("predictions", PREDICTIONS, predictions.predicts_sanely, 0.1),
        Kind("blended-predictions", PREDICTIONS, predictions.blends_sanely, 0.1),
        Kind("flips", "bit flips", damage.flips_a_bit, 0.05),
        Kind("parts", KILLS, processes.disturbs_parts, 0.4, longest=1500),
        Kind("command", KILLS, processes.disturbs_command, 0.4, longest=1500),
        Kind("reproduce", KILLS, processes.disturbs_reproduce, 0.15, longest=1500),
        Kind("killed-parts", KILLS, processes.kills_parts, ON_DEMAND, longest=1500),
        Kind("killed-command", KILLS, processes.kills_command, ON_DEMAND, longest=1500),
        Kind("killed-reproduce", KILLS, processes.kills_reproduce, ON_DEMAND, longest=1500),
    ]
    if differential.has_graphviz():
        batch = differential.TEXTS
        kinds.append(
            Kind("dot-as-graphviz", GRAPHS, differential.dot_as_graphviz, 0.05, inputs=batch)
        )
    return {kind.name: kind for kind in kinds}
