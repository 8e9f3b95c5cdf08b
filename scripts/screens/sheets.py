"""Writes spreadsheets in the flat form of OpenDocument, with columns of given widths."""

import csv
import io
from xml.sax.saxutils import escape

HEAD = '''<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>
<style:style style:name="wide" style:family="table-column"><style:table-column-properties style:column-width="3.6cm"/></style:style>
<style:style style:name="number" style:family="table-column"><style:table-column-properties style:column-width="2.2cm"/></style:style>
<style:style style:name="head" style:family="table-cell"><style:table-cell-properties fo:background-color="{head}" fo:border="{border}"/>
<style:text-properties fo:font-weight="bold" fo:color="{ink}"/></style:style>
<style:style style:name="cell" style:family="table-cell"><style:table-cell-properties fo:border="{border}"/></style:style>
</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="{name}">
<table:table-column table:style-name="wide"/><table:table-column table:style-name="wide"/><table:table-column table:style-name="number" table:number-columns-repeated="8"/>
'''


def cell(value, style):
    try:
        number = float(value)
        return f'<table:table-cell table:style-name="{style}" office:value-type="float" office:value="{number}"/>'
    except ValueError:
        return f'<table:table-cell table:style-name="{style}" office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'


def sheet(text, name, head='#dfe7f2', ink='#1d2d44', border='none'):
    """A spreadsheet of a table in CSV."""
    rows = list(csv.reader(io.StringIO(text)))
    body = ''.join('<table:table-row>' + ''.join(cell(v, 'head' if i == 0 else 'cell') for v in row) + '</table:table-row>\n' for i, row in enumerate(rows))
    return HEAD.format(head=head, ink=ink, border=border, name=name) + body + '</table:table></office:spreadsheet></office:body></office:document>\n'
