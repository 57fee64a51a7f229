"""Documents on disk: readers, the writer, and the memory-mapped corpus."""

from priorwise.corpus.build.ingestion import ingest
from priorwise.corpus.build.writing import IngestSummary
from priorwise.corpus.corpus import Corpus, TokenBatch
from priorwise.corpus.graph import CategoryGraph
from priorwise.readers.document import CategoryPage, Document, Origin, Reader

__all__ = [
    "CategoryGraph",
    "CategoryPage",
    "Corpus",
    "Document",
    "IngestSummary",
    "Origin",
    "Reader",
    "TokenBatch",
    "ingest",
]
