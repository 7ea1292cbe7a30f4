"""csv for Python 2 programs, which open its files as bytes."""
import csv


def _text_lines(lines):
    for line in lines:
        yield line.decode('utf-8', 'surrogateescape') if isinstance(line, bytes) else line


def reader(lines, *arguments, **options):
    """csv.reader over text or bytes."""
    return csv.reader(_text_lines(lines), *arguments, **options)


class DictReader(csv.DictReader):
    """csv.DictReader over text or bytes."""

    def __init__(self, lines, *arguments, **options):
        super(DictReader, self).__init__(_text_lines(lines), *arguments, **options)
