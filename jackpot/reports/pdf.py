"""Write lines of text as a PDF of plain pages, for a slip printer or a file.

A slip is text in one width; a few objects of PDF 1.4 hold it, and no library has to be trusted
with what a winner signs. Characters that a standard font lacks are shown as "?".
"""

from collections.abc import Sequence

_PAGE_WIDTH, _PAGE_HEIGHT = 420, 595  # A5, in points
_MARGIN, _SIZE, _LEADING = 28, 9, 12
_LINES = (_PAGE_HEIGHT - 2 * _MARGIN) // _LEADING
_CATALOG, _PAGES, _FONT, _INFO = 1, 2, 3, 4


def as_pdf(lines: Sequence[str], title: str) -> bytes:
    """A document with these lines, on as many pages as they need."""
    chunks = [lines[at : at + _LINES] for at in range(0, max(len(lines), 1), _LINES)]
    first = _INFO + 1
    pages = range(first, first + 2 * len(chunks), 2)
    kids = b" ".join(b"%d 0 R" % page for page in pages)
    objects = {
        _CATALOG: b"<< /Type /Catalog /Pages %d 0 R >>" % _PAGES,
        _PAGES: b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(chunks)),
        _FONT: b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
        _INFO: b"<< /Title %b >>" % _string(title),
    }
    for page, chunk in zip(pages, chunks, strict=True):
        stream = _stream(chunk)
        objects[page] = (
            b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R "
            b"/Resources << /Font << /F1 %d 0 R >> >> >>"
            % (_PAGES, _PAGE_WIDTH, _PAGE_HEIGHT, page + 1, _FONT)
        )
        objects[page + 1] = b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream)
    return _file(objects)


def _stream(lines: Sequence[str]) -> bytes:
    top = _PAGE_HEIGHT - _MARGIN - _SIZE
    shown = b"\n".join(b"%b Tj T*" % _string(line) for line in lines)
    return b"BT /F1 %d Tf %d TL %d %d Td\n%b\nET" % (_SIZE, _LEADING, _MARGIN, top, shown)


def _string(text: str) -> bytes:
    raw = text.encode("cp1252", "replace")
    for special in (b"\\", b"(", b")"):
        raw = raw.replace(special, b"\\" + special)
    return b"(%b)" % raw


def _file(objects: dict[int, bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in sorted(objects.items()):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\n" % (
        len(objects) + 1,
        _CATALOG,
        _INFO,
    )
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)
