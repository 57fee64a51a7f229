"""Documents on disk: readers, the writer, and the memory-mapped corpus."""

from priorwise.corpus.contents import TokenBatch
from priorwise.corpus.corpus import Corpus
from priorwise.corpus.ingestion import IngestSummary, ingest
from priorwise.readers.document import Document, Reader

__all__ = ["Corpus", "Document", "IngestSummary", "Reader", "TokenBatch", "ingest"]
