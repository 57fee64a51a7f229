"""Many reviewers, and a server that is killed at random: no verdict is lost or doubled, and the ranking is the same.

    .venv/bin/python benchmarks/many_reviewers.py --reviewers 50 --verdicts 10000 --kills 20

A process holds the session. Reviewers send it verdicts, each with an identity, and send again what was not confirmed
before the process was killed with SIGKILL. In the end the log must hold every verdict once, and the ranking of a fresh
session must be equal to that of one that was given the same verdicts without any kill.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock

import numpy as np

import priorwise as pw
from priorwise.corpus import Corpus

TOPICS = {True: ["goal", "team", "match", "player", "league"], False: ["court", "law", "vote", "tax", "judge"]}

Message = tuple[str, str, str, str]


def made_up_corpus(n: int) -> tuple[Corpus, np.ndarray]:
    """Documents about two topics with many shared words; a tenth belong to the category."""
    rng = np.random.default_rng(0)
    belongs = rng.random(n) < 0.1
    both = [f"word{number}" for number in range(300)]
    texts = [" ".join([*rng.choice(TOPICS[bool(own)], 3), *rng.choice(both, 20)]) for own in belongs]
    known = np.flatnonzero(belongs)[:5]
    return Corpus.from_texts(texts, labels=["sport" if row in known else None for row in range(n)]), belongs


def serve(folder: Path, corpus: Corpus, line: Connection) -> None:
    """Hold the session: store what arrives, several at a time, and confirm it."""
    session, lock = pw.Session.of_run(folder, corpus), Lock()

    def store(message: Message) -> None:
        reviewer, id, verdict, identity = message
        session.judge(id, verdict, reviewer=reviewer, identity=identity)
        with lock:
            line.send(identity)

    with ThreadPoolExecutor(8) as pool:
        while True:
            pool.submit(store, line.recv())


def send_all(folder: Path, corpus: Corpus, messages: list[Message], kills: int) -> int:
    """Send messages until all are confirmed; kill the process at random times. Return how often it was killed."""
    context, rng = multiprocessing.get_context("fork"), np.random.default_rng(1)
    waiting = {message[3]: message for message in messages}
    stops = sorted(rng.choice(np.arange(1, len(messages)), kills, replace=False).tolist(), reverse=True)
    killed = 0
    while waiting:
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(folder, corpus, theirs), daemon=True)
        process.start()
        for message in list(waiting.values())[: stops[-1] if stops else None]:
            ours.send(message)
        stop_at = len(messages) - stops[-1] if stops else 0
        while waiting and (not stops or len(waiting) > stop_at):
            if ours.poll(60):
                waiting.pop(ours.recv(), None)
        if stops:
            stops.pop()
            killed += 1
        process.kill()
        process.join()
    return killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reviewers", type=int, default=50)
    parser.add_argument("--verdicts", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=20)
    args = parser.parse_args()
    corpus, belongs = made_up_corpus(args.documents)
    rng = np.random.default_rng(2)
    known = set(corpus.members("sport").tolist())
    rows = [row for row in range(args.documents) if row not in known]
    messages = [
        (f"reviewer {number % args.reviewers}", corpus.ids([row])[0], "yes" if belongs[row] else "no", f"v{number}")
        for number, row in enumerate(rng.choice(rows, args.verdicts).tolist())
    ]
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "sport.run")
        pw.discover(corpus, "sport").save(folder)
        killed = send_all(folder, corpus, messages, args.kills)
        session = pw.Session.of_run(folder, corpus)
        stored = Counter(each.id for each in session.log)
        lost = sum(message[3] not in stored for message in messages)
        doubled = sum(count > 1 for count in stored.values())
        quiet = pw.Session(corpus, "sport")
        for each in session.log:
            quiet.judge(each.item, each.verdict, reviewer=each.reviewer, identity=each.id)
        same = "the same" if quiet.queue(100).ids == session.queue(100).ids else "ANOTHER"
    print(
        f"{args.reviewers} reviewers, {args.verdicts:,} verdicts, process killed {killed} times: {lost} lost, "
        f"{doubled} doubled, ranking after replay {same}; {time.perf_counter() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
