"""The extension: every part is the face of one or a few C files."""

# encode_face.c: protobuf. Columns are bytes of native integers, as array.tobytes() gives them.
# ValueError for columns of unequal length, references out of range and impossible field numbers.

def encode_int(field: int, value: int, /) -> bytes:
    """One int64; nothing if it is 0."""

def encode_bytes(field: int, content: bytes, /) -> bytes:
    """A string or a message, even if empty."""

def encode_frame(message: bytes, /) -> bytes:
    """The message with its length in front, as the socket carries it."""

def encode_strings(field: int, strings: list[str], /) -> bytes:
    """A repeated string; what has no UTF-8 becomes '?'."""

def encode_packed(field: int, u64s: bytes, /) -> bytes:
    """A packed column; nothing if it is empty."""

def encode_rows(
    field: int,
    columns: tuple[tuple[int, bytes], ...],
    nested_field: int = ...,
    nested_columns: tuple[tuple[int, bytes], ...] = ...,
    /,
) -> bytes:
    """One message a row: a varint field for each (field, u64s), and a nested message of more."""

def encode_samples(
    field: int,
    parents: bytes,
    locations: bytes,
    nodes: bytes,
    values: tuple[bytes, ...],
    labels: bytes,
    label_sets: tuple[bytes, ...],
    /,
) -> bytes:
    """pprof samples out of a tree of stacks, leaf first; location n gets the id n + 1.

    ``parents`` and ``locations`` are u32 (n_nodes,), node 0 the empty stack; ``nodes`` and
    ``labels`` u32 (n_samples,); each of ``values`` u64 (n_samples,). ``labels`` points into
    ``label_sets``, encoded labels that are put in as they are.
    """
