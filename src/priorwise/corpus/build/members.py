"""The documents' labels in, the labels' documents out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.build.names import MergedNames
from priorwise.corpus.build.scratch import Allocate
from priorwise.corpus.build.shards import AnyShard
from priorwise.corpus.storage.columns import list_parts


def label_members(
    shards: Sequence[AnyShard], labels: MergedNames, allocate: Allocate
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
    """Return where each label's documents begin, those documents, ascending, and the origin of each.

    The labels' sizes are counted first, so that each shard's memberships then go straight to their places in the
    scratch room: five bytes for each, and beside it only one shard at a time.
    """
    sizes = np.zeros(len(labels.names), np.int64)
    for number, shard in enumerate(shards):
        numbers = list_parts(shard.documents.column("labels"))[1]
        sizes[labels.of_shard(number)] += np.bincount(numbers, minlength=shard.labels.num_rows)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    n_memberships = int(offsets[-1])
    documents = allocate("members", n_memberships)
    origins = allocate("origins", -(-n_memberships // 4)).view(np.uint8)[:n_memberships]

    free, first_document = offsets[:-1].copy(), 0
    for number, shard in enumerate(shards):
        table = shard.documents
        begin, own_documents, own_origins = _by_label(table, shard.labels.num_rows)
        counts, here = np.diff(begin), labels.of_shard(number)
        place = np.repeat(free[here] - begin[:-1], counts) + np.arange(len(own_documents))
        documents[place] = own_documents + first_document
        origins[place] = own_origins
        free[here] += counts
        first_document += table.num_rows
    return offsets, documents, origins


def _by_label(documents: pa.RecordBatch, n_labels: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.uint8]]:
    from scipy.sparse import csr_array

    offsets, numbers = list_parts(documents.column("labels"))
    origins = list_parts(documents.column("origins"))[1]
    shape = (documents.num_rows, n_labels)
    # A written membership is a stored 0 here; this conversion moves what is stored and drops nothing.
    by_label = csr_array((origins, numbers.astype(np.int32), offsets), shape=shape).tocsc()
    return by_label.indptr, by_label.indices, by_label.data
