"""A photo album's import, whose memory trace is the example of the start page.

It knows nothing of Stackglass. What its heap map shows, from left to right: an index that is built
once and stays; four batches of pictures, each decoded, made small and released; and a cache of
previews that nothing ever empties, so that each batch leaves more behind than the one before.

    python photo_album.py --after 2 & stackglass record $! --profile memory -o photo_album.sgm

Python 3.9 or newer; standard library only.
"""

from __future__ import annotations

import argparse
import time
import zlib

N_ALBUMS, N_PAGES = 60, 40
N_BATCHES, N_PICTURES = 4, 12
PICTURE_BYTES, ROW_BYTES = 192 * 1024, 4096
PAUSE_S = 0.03


class Preview:
    """A small picture, kept for the next time."""

    def __init__(self, title: str, rows: list[bytes]) -> None:
        self.title = title
        self.rows = rows


PREVIEWS: dict[str, Preview] = {}  # grows without limit: the leak


def build_index() -> dict[str, list[str]]:
    """Return the titles by album."""
    return {
        f"album {album}": [f"album {album}, page {page}" for page in range(N_PAGES)]
        for album in range(N_ALBUMS)
    }


def decode(number: int) -> bytearray:
    """Return a picture, as a camera takes it."""
    packed = zlib.compress(bytes(range(number, number + 128)) * (ROW_BYTES // 128))
    row = zlib.decompress(packed)
    return bytearray(row * (PICTURE_BYTES // ROW_BYTES))


def shrink(picture: bytearray) -> list[bytes]:
    """Return every other row, and of it every fourth dot."""
    rows = range(0, len(picture), 2 * ROW_BYTES)
    return [bytes(picture[at : at + ROW_BYTES : 4]) for at in rows]


def import_batch(batch: int, titles: list[str]) -> None:
    """Decode all of a batch, then keep previews of some."""
    pictures = []
    for number in range(N_PICTURES):
        pictures.append(decode(batch * N_PICTURES + number))
        time.sleep(PAUSE_S)
    for number in range(3 * (batch + 1)):
        title = f"{titles[number % len(titles)]}, picture {batch}/{number}"
        PREVIEWS[title] = Preview(title, shrink(pictures[number % N_PICTURES]))


def write_report() -> int:
    """Make many words that do not live long."""
    words = [f"{title}: {len(preview.rows)} rows" for title, preview in PREVIEWS.items()]
    return sum(len(" ".join(words).upper().split(" ")) for _ in range(20))


def main() -> None:
    """Import all batches."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--after", type=float, default=0.0, help="seconds to wait at first")
    time.sleep(parser.parse_args().after)
    index = build_index()
    time.sleep(PAUSE_S)
    for batch in range(N_BATCHES):
        import_batch(batch, index[f"album {batch}"])
        write_report()
        time.sleep(2 * PAUSE_S)


if __name__ == "__main__":
    main()
