"""What the processes of a chaos run share, and what one of them leaves when it dies."""

from __future__ import annotations

from pathlib import Path

from proof.chaos.worker import Board, Feed, Result, read_results, write_result


def test_steps_are_taken_in_order_until_there_are_no_more() -> None:
    feed = Feed()
    for step in (1, 2, -1):
        feed.put(step)
    feed.end()
    feed.end()
    assert list(feed) == [1, 2, -1]
    feed.close()


def test_the_board_knows_what_was_begun_and_ended_and_who_had_what() -> None:
    board = Board(steps=3, workers=2)
    board.begin(1, 0)
    board.begin(2, 1)
    board.end(1, 0)
    assert (board.taken(), board.ended()) == (2, 1)
    assert (board.forget(0), board.forget(1), board.forget(1)) == (0, 2, 0)
    board.begin(3, 0)
    assert (board.taken(), board.ended()) == (3, 1)


def test_the_last_line_of_a_killed_worker_may_be_cut_off(tmp_path: Path) -> None:
    first, second = tmp_path / "results-0.jsonl", tmp_path / "results-1.jsonl"
    write_result(first, Result(step=2, outcome="done"))
    write_result(second, Result(step=1, outcome="broke", trace="ValueError"))
    with first.open("a") as file:
        file.write('{"step": 3, "outc')
    assert read_results([first, second]) == [
        Result(step=1, outcome="broke", trace="ValueError"),
        Result(step=2, outcome="done"),
    ]
