"""Work inside one library, in one Python thread: ``LIBRARY SECONDS``, in CPU time.

The exit status is 2 if the library is not installed. Each library is imported where its work
begins, because the others may be missing.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from importlib import import_module

Run = Callable[[], object]


def prepare_numpy() -> Run:
    np = import_module("numpy")

    source = np.random.default_rng(7)
    values, square = source.random(200_000), source.random((160, 160))

    def run() -> None:
        np.sort(values)
        np.fft.rfft(values)
        np.linalg.svd(square)
        (np.sin(values) * values).sum()
        np.partition(values, 1000)

    return run


def prepare_pandas() -> Run:
    np = import_module("numpy")
    pd = import_module("pandas")

    source = np.random.default_rng(7)
    n = 40_000
    frame = pd.DataFrame(
        {"key": source.integers(0, 500, n), "a": source.random(n), "b": source.random(n)}
    )
    text = frame.head(4000).to_csv(index=False)

    def run() -> None:
        frame.groupby("key").agg({"a": "mean", "b": "std"})
        frame.merge(frame.head(500), on="key")
        frame["a"].rolling(50).median()
        pd.read_csv(io.StringIO(text))
        frame.sort_values("b")

    return run


def prepare_polars() -> Run:
    np = import_module("numpy")
    pl = import_module("polars")

    source = np.random.default_rng(7)
    n = 100_000
    frame = pl.DataFrame({"key": source.integers(0, 500, n), "a": source.random(n)})
    keys = frame.head(500)

    def run() -> None:
        frame.group_by("key").agg(pl.col("a").mean(), pl.col("a").std().alias("b"))
        frame.join(keys, on="key")
        frame.sort("a")
        frame.lazy().filter(pl.col("a") > 0.5).select(pl.col("a").log().sum()).collect()

    return run


def prepare_cryptography() -> Run:
    primitives = "cryptography.hazmat.primitives"
    hashes = import_module(f"{primitives}.hashes")
    ec, padding, rsa = (
        import_module(f"{primitives}.asymmetric.{name}") for name in ("ec", "padding", "rsa")
    )
    cipher = import_module(f"{primitives}.ciphers.aead").AESGCM(bytes(32))
    scrypt = import_module(f"{primitives}.kdf.scrypt").Scrypt

    content = bytes(1 << 20)
    signer = rsa.generate_private_key(65537, 2048)
    curve = ec.generate_private_key(ec.SECP384R1())

    def run() -> None:
        cipher.encrypt(bytes(12), content, None)
        signer.sign(content, padding.PKCS1v15(), hashes.SHA256())
        curve.sign(content, ec.ECDSA(hashes.SHA256()))
        scrypt(salt=bytes(16), length=32, n=2**11, r=8, p=1).derive(b"secret")

    return run


def prepare_lxml() -> Run:
    etree = import_module("lxml.etree")

    rows = "".join(f'<row id="{n}"><name>name {n}</name><v>{n * 7}</v></row>' for n in range(3000))
    text = f"<rows>{rows}</rows>".encode()
    sheet = etree.XSLT(
        etree.XML(
            '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
            '<xsl:template match="/"><all><xsl:for-each select="//row[v &gt; 9000]">'
            '<xsl:copy-of select="name"/></xsl:for-each></all></xsl:template></xsl:stylesheet>'
        )
    )

    def run() -> None:
        tree = etree.fromstring(text)
        tree.xpath("//row[contains(name, '7')]/@id")
        sheet(tree)
        etree.tostring(tree)
        [row.findtext("name") for row in tree.iter("row")]

    return run


def prepare_orjson() -> Run:
    orjson = import_module("orjson")

    value = {
        f"key {n}": {"n": n, "x": n / 7, "text": "some text " * 4, "list": list(range(20))}
        for n in range(2000)
    }
    text = orjson.dumps(value)

    def run() -> None:
        orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        orjson.loads(text)

    return run


def prepare_onnxruntime() -> Run:
    np = import_module("numpy")
    onnx = import_module("onnx")
    to_tensor = import_module("onnx.numpy_helper").from_array
    onnxruntime = import_module("onnxruntime")

    source = np.random.default_rng(7)
    nodes, weights, name, channels = [], [], "x", 3
    for number, wanted in enumerate((16, 32, 32)):
        weight = source.random((wanted, channels, 3, 3), dtype=np.float32)
        weights.append(to_tensor(weight, f"w{number}"))
        nodes.append(onnx.helper.make_node("Conv", [name, f"w{number}"], [f"c{number}"]))
        nodes.append(onnx.helper.make_node("Relu", [f"c{number}"], [f"r{number}"]))
        name, channels = f"r{number}", wanted
    nodes.append(onnx.helper.make_node("Softmax", [name], ["y"]))
    tensor = onnx.helper.make_tensor_value_info
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        nodes,
        "three",
        [tensor("x", kind, [1, 3, 64, 64])],
        [tensor("y", kind, None)],
        weights,
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)])
    model.ir_version = 8
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    values = source.random((1, 3, 64, 64), dtype=np.float32)

    def run() -> None:
        session.run(None, {"x": values})

    return run


PREPARE: dict[str, Callable[[], Run]] = {
    name.removeprefix("prepare_"): found
    for name, found in list(globals().items())
    if name.startswith("prepare_")
}


def main() -> None:
    library, seconds = sys.argv[1:]
    try:
        run = PREPARE[library]()
    except ImportError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    print("ready", flush=True)
    end_s = time.process_time() + float(seconds)
    while time.process_time() < end_s:
        run()


if __name__ == "__main__":
    main()
