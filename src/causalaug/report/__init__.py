"""One call that answers whether a graph helps, and a page that shows the answer to others."""

from causalaug.report._evaluate import evaluate
from causalaug.report._evaluation import Evaluation
from causalaug.report._summary import AugmentationSummary, Marginal

__all__ = ["AugmentationSummary", "Evaluation", "Marginal", "evaluate"]
