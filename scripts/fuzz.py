#!/usr/bin/env python3
"""Runs the libFuzzer programs of a build folder, each for some time, from the golden files as first inputs.

usage: fuzz.py BUILD_DIR SECONDS [NAME...]

What was found worth keeping stays in BUILD_DIR/fuzz/NAME and is where the next run starts; an input that crashed lies
beside it as BUILD_DIR/fuzz/NAME-crash-*. Run it again with BUILD_DIR/bin/NAME FILE. Exit code 1 if there was one.
"""
import base64
import json
import gzip
import pathlib
import re
import struct
import subprocess
import sys
import zlib

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"


def golden(pattern):
    files = sorted(GOLDEN.glob(pattern))
    if not files:
        sys.exit(f"fuzz: no file matches {GOLDEN / pattern}")
    return [file.read_bytes() for file in files]


def png(bit_depth, colour_type, width, height, row):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, bit_depth, colour_type, 0, 0, 0)
    pixels = zlib.compress((b"\0" + row) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def after(byte, files):
    """The first byte of most inputs says how the rest is read; the *_fuzz.cpp files say which is which."""
    return [bytes([byte]) + file for file in files]


def image_files(decoder):
    """Files that the golden cases of an op decode."""
    cases = json.loads((GOLDEN / "ops/image_files.json").read_text())["cases"]
    return [base64.b64decode(c["inputs"][0]["data_b64"][0]) for c in cases if c["name"].startswith(decoder + ":")]


def records(file):
    """What a TFRecord file holds."""
    while file:
        size, = struct.unpack_from("<Q", file)
        yield file[12:12 + size]
        file = file[16 + size:]


def seeds(name):
    binary, text = "graphs/*.pb", "graphs/*.pbtxt"
    return {
        "graph_import_fuzz": lambda: after(0, golden(binary)) + after(1, golden(text)),
        "graph_def_fuzz": lambda: after(2, golden(binary)) + after(3, golden(text)),
        "record_fuzz": lambda: after(0, golden("events/*.tfrecord") + golden("events/*.golden"))
                               + after(1, golden("events/*.zlib.tfrecord")),
        "text_file_fuzz": lambda: [bytes([0, 3, 1, 1, 2]) + b"head\nline\r\nlast", bytes([2, 3, 1, 1, 2]) + gzip.compress(b"a\nb\n")],
        "csv_fuzz": lambda: [b",\0" + line for line in (b"1,two,", b'"a ""b""",c\n', b",,")],
        "example_fuzz": lambda: [record for file in golden("events/examples.tfrecord") for record in records(file)],
        "bundle_index_fuzz": lambda: after(0, golden("checkpoint/**/*.index") + golden("checkpoint/v1/*.ckpt")),
        "idx_fuzz": lambda: [b"\0\0\x08\x01" + struct.pack(">I", 3) + b"abc",
                             b"\0\0\x0d\x02" + struct.pack(">II", 1, 2) + bytes(8)],
        "png_fuzz": lambda: after(0, [png(8, 0, 2, 2, b"ab"), png(8, 6, 1, 2, b"abcd"), png(16, 2, 1, 1, b"abcdef")]),
        "jpeg_fuzz": lambda: after(0, after(0, image_files("decode_jpeg"))) + after(32, after(1, image_files("decode_jpeg"))),
        "gif_fuzz": lambda: image_files("decode_gif"),
        "bmp_fuzz": lambda: image_files("decode_bmp"),
    }.get(name, lambda: [])()


def run(program, folder, seconds):
    corpus = folder / program.name
    corpus.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(seeds(program.name)):
        (corpus / f"seed-{i}").write_bytes(seed)
    done = subprocess.run([program, f"-max_total_time={seconds}", f"-artifact_prefix={folder / program.name}-",
                           "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1", corpus],
                          capture_output=True, text=True, errors="replace")
    runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    print(f"  {program.name:<24} {int(runs[1]) if runs else 0:>10} inputs  {'ok' if done.returncode == 0 else 'FAILED'}",
          flush=True)
    if done.returncode != 0:
        print("\n".join(done.stderr.splitlines()[-60:]), flush=True)
    return done.returncode == 0


def main(build, seconds, *names):
    build = pathlib.Path(build)
    programs = [build / "bin" / n for n in names] if names else sorted((build / "bin").glob("*_fuzz"))
    if not programs:
        sys.exit(f"fuzz: no *_fuzz in {build / 'bin'}: build the target fuzzers")
    good = [run(program, build / "fuzz", seconds) for program in programs]
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if all(good) else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
