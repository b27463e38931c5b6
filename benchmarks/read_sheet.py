"""The yardstick for spreadsheets: a process that only reads the cells."""

import sys

from python_calamine import CalamineWorkbook

book = CalamineWorkbook.from_path(sys.argv[1])
print(sum(len(book.get_sheet_by_name(name).to_python()) for name in book.sheet_names))
