"""Documents on disk: readers, the writer, and the memory-mapped corpus."""

from priorwise.corpus.contents import TokenBatch
from priorwise.corpus.corpus import Corpus
from priorwise.corpus.document import Document, Reader
from priorwise.corpus.ingestion import IngestSummary, ingest

__all__ = ["Corpus", "Document", "IngestSummary", "Reader", "TokenBatch", "ingest"]
