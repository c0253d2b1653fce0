"""Turn a causal graph into better predictions on small tables."""

__version__ = "0.1.0"
