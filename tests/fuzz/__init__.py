"""A standing attack: random graphs, frames and kills, for as long as one likes.

``make fuzz MINUTES=20 SEED=0`` runs it. A case is a pure function of the seed, its kind and its
number, so that a failure is found again by the line that reports it. What counts as a failure:

- an exception that is none of ours, a warning of numpy, a case that does not end;
- a graph that is read as another one than was written, or than Graphviz reads;
- a result with another dtype than the data, or with mass that is neither there nor reported;
- a killed or interrupted job that leaves other results or files than one that was left alone.

One of our own errors is an answer. The files: `cases` says what a case is, `graph_texts` and
`graph_objects` draw graphs in all formats, `differential` asks Graphviz, `frames` draws tables and
calls the public functions on them, `processes` kills, `damage` flips bits, `__main__` runs and
reports. ``make fuzz KINDS=flips CASES=1000`` and ``make fuzz CASES=100
KINDS=killed-parts,killed-command,killed-reproduce`` try one kind so many times.
"""
