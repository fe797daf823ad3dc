"""Write lines of text as a PDF of plain pages, for a slip printer or a file.

A slip is text in one width; a few objects of PDF 1.4 hold it, and no library has to be trusted
with what a winner signs. The document carries its font, so names are printed as they are spelled.
A letter that even this font lacks is shown as a box; whoever copies or searches the text still
finds the letter.
"""

import struct
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

_FONT_FILE = Path(__file__).parent / "font" / "Cousine.ttf"
_PAGE_WIDTH, _PAGE_HEIGHT = 420, 595  # A5, in points
_MARGIN, _SIZE, _LEADING = 28, 9, 12
_LINES = (_PAGE_HEIGHT - 2 * _MARGIN) // _LEADING
_CATALOG, _PAGES, _INFO, _FONT, _LETTERS, _LOOK, _OUTLINES, _GLYPHS, _SPELLING = range(1, 10)
_PLANE = 0x10000  # a code in the document has two bytes
_BOX = 0  # the glyph of what a font lacks
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_FIXED_WIDTH, _NOT_SYMBOLS = 1, 32
_MOST_SPELLED = 100  # in one list of a character map
_SPELLING_TEXT = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Spelling def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
%b
endcmap CMapName currentdict /CMap defineresource pop end end"""


def as_pdf(lines: Sequence[str], title: str) -> bytes:
    """A document with these lines, on as many pages as they need."""
    lines = [_writable(line) for line in lines]
    chunks = [lines[at : at + _LINES] for at in range(0, max(len(lines), 1), _LINES)]
    first = _SPELLING + 1
    pages = range(first, first + 2 * len(chunks), 2)
    kids = b" ".join(b"%d 0 R" % page for page in pages)
    objects = {
        _CATALOG: b"<< /Type /Catalog /Pages %d 0 R >>" % _PAGES,
        _PAGES: b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(chunks)),
        _INFO: b"<< /Title <FEFF%b> >>" % title.encode("utf-16-be").hex().encode(),
        **_font({letter for line in lines for letter in line}),
    }
    for page, chunk in zip(pages, chunks, strict=True):
        objects[page] = (
            b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R "
            b"/Resources << /Font << /F1 %d 0 R >> >> >>"
            % (_PAGES, _PAGE_WIDTH, _PAGE_HEIGHT, page + 1, _FONT)
        )
        objects[page + 1] = _stream(_page(chunk))
    return _file(objects)


def _writable(line: str) -> str:
    """Accents joined to their letters, and only what a code of two bytes can name."""
    joined = unicodedata.normalize("NFC", line)
    return "".join(letter if ord(letter) < _PLANE else _UNKNOWN for letter in joined)


def _page(lines: Iterable[str]) -> bytes:
    top = _PAGE_HEIGHT - _MARGIN - _SIZE
    shown = b"\n".join(b"<%b> Tj T*" % line.encode("utf-16-be").hex().encode() for line in lines)
    return b"BT /F1 %d Tf %d TL %d %d Td\n%b\nET" % (_SIZE, _LEADING, _MARGIN, top, shown)


def _font(used: set[str]) -> dict[int, bytes]:
    """The font: a letter's code is its Unicode number, which leads to its outline and back."""
    outlines, glyphs, widths = _outlines()
    places = bytearray(2 * _PLANE)
    for letter in used:
        struct.pack_into(">H", places, 2 * ord(letter), glyphs.get(ord(letter), _BOX))
    spelled = b"\n".join(
        b"%d beginbfchar\n%b\nendbfchar"
        % (len(some), b"\n".join(b"<%04X> <%04X>" % (ord(each), ord(each)) for each in some))
        for at in range(0, len(used), _MOST_SPELLED)
        for some in (sorted(used)[at : at + _MOST_SPELLED],)
    )
    return {
        _FONT: b"<< /Type /Font /Subtype /Type0 /BaseFont /JACKPT+Cousine /Encoding "
        b"/Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>" % (_LETTERS, _SPELLING),
        _LETTERS: b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /JACKPT+Cousine "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
        b"/DW %d /FontDescriptor %d 0 R /CIDToGIDMap %d 0 R >>" % (widths, _LOOK, _GLYPHS),
        _LOOK: b"<< /Type /FontDescriptor /FontName /JACKPT+Cousine /Flags %d "
        b"/FontBBox [-482 -300 743 981] /ItalicAngle 0 /Ascent 833 /Descent -300 /CapHeight 659 "
        b"/StemV 80 /FontFile2 %d 0 R >>" % (_FIXED_WIDTH | _NOT_SYMBOLS, _OUTLINES),
        _OUTLINES: outlines,
        _GLYPHS: _stream(bytes(places)),
        _SPELLING: _stream(_SPELLING_TEXT % spelled),
    }


@cache
def _outlines() -> tuple[bytes, dict[int, int], int]:
    """The font file as an object, the glyph of each code, and the width that all of them have."""
    raw = _FONT_FILE.read_bytes()
    (count,) = struct.unpack_from(">4xH", raw)
    tables = {
        name: at for name, _, at, _ in struct.iter_unpack(">4sIII", raw[12 : 12 + 16 * count])
    }
    (units,) = struct.unpack_from(">H", raw, tables[b"head"] + 18)
    (width,) = struct.unpack_from(">H", raw, tables[b"hmtx"])
    groups_at = tables[b"cmap"] + struct.unpack_from(">8xI", raw, tables[b"cmap"])[0]
    (groups,) = struct.unpack_from(">12xI", raw, groups_at)  # of a table of format 12
    start = groups_at + 16
    glyphs = {
        first + place: glyph + place
        for first, last, glyph in struct.iter_unpack(">III", raw[start : start + 12 * groups])
        for place in range(last - first + 1)
    }
    return _stream(raw, b" /Length1 %d" % len(raw)), glyphs, round(1000 * width / units)


def _stream(raw: bytes, more: bytes = b"") -> bytes:
    packed = zlib.compress(raw, 9)
    return b"<< /Length %d /Filter /FlateDecode%b >>\nstream\n%b\nendstream" % (
        len(packed),
        more,
        packed,
    )


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
