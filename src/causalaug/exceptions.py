"""The errors that causalaug raises, and its warning.

Each is a `CausalAugError` and also the builtin that a caller would expect::

    CausalAugError
    ├── GraphError (ValueError)             the graph itself is wrong
    │   ├── CyclicGraphError                it has a directed cycle
    │   └── GraphFormatError                it cannot be read, or is ambiguous
    ├── GraphMismatchError (ValueError)     graph and data name different variables
    ├── TableError (ValueError)             the data cannot be used as they are
    ├── DataNotFoundError (FileNotFoundError)  a data set is not where it should be
    ├── OutputError (OSError)               a file cannot be written
    ├── ParameterError (ValueError)         an argument is outside its range
    ├── TreeTooLargeError (MemoryError)     the tree has more rows than allowed
    ├── StoreError (ValueError)             a store cannot be used as it is
    ├── EngineError (RuntimeError)          the workers of a cluster died too often
    └── MissingDependencyError (ImportError)  an extra is not installed

`CausalAugWarning` is a `UserWarning`: something was done that may not be what was meant.
"""

__all__ = [
    "CausalAugError",
    "CausalAugWarning",
    "CyclicGraphError",
    "DataNotFoundError",
    "EngineError",
    "GraphError",
    "GraphFormatError",
    "GraphMismatchError",
    "MissingDependencyError",
    "OutputError",
    "ParameterError",
    "StoreError",
    "TableError",
    "TreeTooLargeError",
]


class CausalAugError(Exception):
    """Base class of all errors raised by causalaug."""


class CausalAugWarning(UserWarning):
    """Something was done that may not be what was meant; the message says what to do."""


class GraphError(CausalAugError, ValueError):
    """The graph breaks a rule of ADMGs, or names a node it does not have."""


class CyclicGraphError(GraphError):
    """The directed edges form a cycle; the message names its nodes."""


class GraphFormatError(GraphError):
    """A graph cannot be read from its source, or its meaning is ambiguous."""


class GraphMismatchError(CausalAugError, ValueError):
    """The graph and the data do not name the same variables."""


class TableError(CausalAugError, ValueError):
    """The data cannot be used as they are: missing, infinite, empty or unnamed."""


class DataNotFoundError(CausalAugError, FileNotFoundError):
    """A data set that cannot be bundled is not in the folder; the message says how to get it."""


class OutputError(CausalAugError, OSError):
    """A file cannot be written; what was there before is unchanged."""


class ParameterError(CausalAugError, ValueError):
    """An argument is outside the values that it may take."""


class TreeTooLargeError(CausalAugError, MemoryError):
    """The probability tree has more rows than allowed; the message says what to change."""


class StoreError(CausalAugError, ValueError):
    """A file or folder is no store, is not complete, or belongs to a job with other settings."""


class EngineError(CausalAugError, RuntimeError):
    """The workers of a cluster died too often; what is complete in files stays."""


class MissingDependencyError(CausalAugError, ImportError):
    """An optional dependency is not installed; the message has the install line."""
