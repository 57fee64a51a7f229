"""Report a wrong cluster address at once. Spark itself takes a minute and reports it in a log."""

from __future__ import annotations

import os
import re
import socket

from priorwise.errors import EngineFailed, InputError

SECONDS = 5.0
"""How long to wait for a cluster's master, in seconds."""

_LOCAL = re.compile(r"local(\[(\*|[1-9]\d*)(,\s*\d+)?\])?|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]")
_SPELLINGS = "local[4] (this machine), spark://host:7077, yarn or k8s://https://host:6443"


def check_master(master: str) -> None:
    """Refuse an invalid cluster address, or one where no master answers.

    Examples
    --------
    >>> check_master("local[4]")
    >>> check_master("sparks://host:7077")
    Traceback (most recent call last):
    ...
    priorwise.errors.InputError: 'sparks://host:7077' is not an address of a Spark cluster; write local[4] (this \
machine), spark://host:7077, yarn or k8s://https://host:6443
    """
    if _LOCAL.fullmatch(master) or (master.startswith("k8s://") and len(master) > len("k8s://")):
        return
    if master == "yarn":
        if not (os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")):
            raise EngineFailed(
                "Spark finds a YARN cluster by the files of its settings: set HADOOP_CONF_DIR (or YARN_CONF_DIR) to "
                "the folder that has yarn-site.xml and core-site.xml"
            )
        return
    if not master.startswith("spark://"):
        raise InputError(f"'{master}' is not an address of a Spark cluster; write {_SPELLINGS}")
    addresses = [_host_and_port(each, master) for each in master.removeprefix("spark://").split(",")]
    failures = []
    for host, port in addresses:
        # Spark finds out which of several masters is the leader.
        try:
            socket.create_connection((host, port), timeout=SECONDS).close()
        except OSError as error:
            failures.append(f"{host}:{port} ({_reason(error)})")
        else:
            return
    raise EngineFailed(
        f"no Spark master answers at {', '.join(failures)}. Is it running, and does this machine reach it? A master "
        "shows its address, spark://…, at the top of its own page (usually port 8080); to work without a cluster, "
        "use local[4] or leave it out"
    )


def _host_and_port(address: str, master: str) -> tuple[str, int]:
    host, _, port = address.strip().rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536 or "/" in address:
        raise InputError(
            f"'{master}' is not an address of a Spark cluster: write spark://host:port, as in spark://host:7077"
        )
    return host.strip("[]"), int(port)


def _reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer in {SECONDS:g} seconds"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    return (error.strerror or str(error)).lower()
