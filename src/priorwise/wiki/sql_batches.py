"""Rows of SQL as columns: the compiled scanner fills arrays, Arrow takes them over."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from priorwise.wiki.sql_statements import Window


class RowBatch:
    """Room for rows, and the batch that they make.

    Parameters
    ----------
    columns : list of str
        The columns of a row, in order.
    wanted : mapping
        Those that are kept, and what each is: ``"integer"``, ``"text"`` or ``"title"``.
    size : int
        There is room for whatever so many bytes of SQL may hold.

    Attributes
    ----------
    rows : int
        How many are there.
    replaced : int
        How many texts were no UTF-8; known once the batch is made.
    """

    def __init__(self, columns: list[str], wanted: Mapping[str, str], size: int) -> None:
        from priorwise.wiki._kernels import sql_rows

        kinds = {"integer": sql_rows.INTEGER, "text": sql_rows.TEXT, "title": sql_rows.TITLE}
        self.columns = columns
        self.rows = 0
        self.replaced = 0
        self._kinds = np.array([kinds.get(wanted.get(name, ""), sql_rows.SKIP) for name in columns], np.int64)
        is_integer, is_text = self._kinds == sql_rows.INTEGER, self._kinds > sql_rows.INTEGER
        # The number of each column among those of its sort.
        self._slots = np.where(is_integer, np.cumsum(is_integer), np.cumsum(is_text)) - 1
        self._n_integers, n_texts = int(is_integer.sum()), int(is_text.sum())
        # Pages of memory that are never touched cost nothing.
        most = self._most_rows(size)
        self._integers = np.empty((self._n_integers, most), np.int64)
        self._texts = np.empty((n_texts, size), np.uint8)
        self._bounds = np.zeros((n_texts, most + 1), np.int32)
        self._nulls = np.empty((self._n_integers + n_texts, most), np.uint8)

    def has_room(self, n_bytes: int) -> bool:
        """Tell whether there is room for whatever so many bytes of SQL may hold."""
        rows_left = self._nulls.shape[1] - self.rows
        bytes_left = self._texts.shape[1] - int(self._bounds[:, self.rows].max(initial=0))
        return self._most_rows(n_bytes) <= rows_left and n_bytes <= bytes_left

    def _most_rows(self, n_bytes: int) -> int:
        # The shortest row has a parenthesis and, for each column, a digit and what stands after it.
        return n_bytes // (2 * len(self.columns) + 1) + 1

    def read(self, window: Window) -> int:
        """Take as many rows from the window as are whole, and return why there are no more of them."""
        from priorwise.wiki._kernels.sql_rows import read_rows

        window.at, window.after_row, self.rows, status = read_rows(
            window.data,
            window.at,
            window.end,
            window.after_row,
            self._kinds,
            self._slots,
            self.rows,
            self._integers,
            self._texts,
            self._bounds,
            self._nulls,
        )
        return status

    def to_arrow(self) -> pa.RecordBatch:
        """Return the rows; their memory is shared."""
        from priorwise.wiki._kernels.sql_rows import INTEGER, SKIP

        found = {
            name: self._integer_column(slot) if kind == INTEGER else self._text_column(slot)
            for name, kind, slot in zip(self.columns, self._kinds.tolist(), self._slots.tolist(), strict=True)
            if kind != SKIP
        }
        return pa.RecordBatch.from_arrays(list(found.values()), names=list(found))

    def _integer_column(self, slot: int) -> pa.Array:
        nulls = self._nulls[slot, : self.rows]
        return pa.array(self._integers[slot, : self.rows], mask=nulls.view(np.bool_) if nulls.any() else None)

    def _text_column(self, slot: int) -> pa.Array:
        nulls = self._nulls[self._n_integers + slot, : self.rows]
        valid = pa.array(nulls == 0).buffers()[1] if nulls.any() else None
        bounds, data = self._bounds[slot, : self.rows + 1], self._texts[slot]
        values = pa.Array.from_buffers(
            pa.binary(), self.rows, [valid, pa.py_buffer(bounds), pa.py_buffer(data[: bounds[-1]])]
        )
        try:
            return values.cast(pa.string())
        except pa.ArrowInvalid:
            texts = [None if value is None else value.decode("utf-8", "replace") for value in values.to_pylist()]
            self.replaced += sum(text is not None and "\ufffd" in text for text in texts)
            return pa.array(texts, pa.string())
