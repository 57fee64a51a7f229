"""Documents on disk: readers, the writer, and the memory-mapped corpus."""

from priorwise.corpus.build.ingestion import ingest as ingest
from priorwise.corpus.build.writing import IngestSummary as IngestSummary
from priorwise.corpus.corpus import Corpus as Corpus
from priorwise.corpus.corpus import TokenBatch as TokenBatch
from priorwise.corpus.graph import CategoryGraph as CategoryGraph
from priorwise.readers.document import CategoryPage as CategoryPage
from priorwise.readers.document import Document as Document
from priorwise.readers.document import Origin as Origin
from priorwise.readers.document import Reader as Reader
