"""An S3 server on this machine, in a process of its own: moto, which answers as Amazon's does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from spark_session import free_port, wait_for

KEY, SECRET = "somebody", "secret"
_NUMBERS = count()


@dataclass(frozen=True)
class ObjectStore:
    port: int

    @property
    def environment(self) -> dict[str, str]:
        """What tells Arrow of the server."""
        return {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def new_bucket(self) -> str:
        from pyarrow.fs import FileSystem

        address = f"s3://bucket-{next(_NUMBERS)}"
        files, path = FileSystem.from_uri(f"{self.with_options(address)}&allow_bucket_creation=true")
        files.create_dir(path)
        return address

    def with_options(self, address: str) -> str:
        """Return an address that tells of the server by itself."""
        there = address.replace("s3://", f"s3://{KEY}:{SECRET}@")
        return f"{there}?scheme=http&endpoint_override=127.0.0.1%3A{self.port}&region=us-east-1"


@contextmanager
def an_object_store(folder: Path) -> Iterator[ObjectStore]:
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (folder / "moto.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_for(port)
        yield ObjectStore(port)
    finally:
        server.kill()
        server.wait()
