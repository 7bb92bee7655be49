#!/usr/bin/env python3
"""Checks the book that `make docs` wrote: every link of a page leads to a file and a heading that are there.

    python3 tests/pages/book.py target/book

The tidy tests check the links of the pages as they are written; this checks what mdBook made of them.
"""

import pathlib
import re
import sys

LINK = re.compile(r'(?:href|src)="([^"]+)"')
# Written by mdBook from the pages: a copy of all of them, and the pieces that it loads.
MADE = {"print.html", "404.html", "toc.html"}


def main():
    book = pathlib.Path(sys.argv[1])
    pages = {page: page.read_text() for page in book.rglob("*.html") if page.name not in MADE}
    links, wrong = 0, []
    for page, text in pages.items():
        for link in LINK.findall(text):
            if "://" in link or link.startswith("data:"):
                continue
            links += 1
            path, _, heading = link.partition("#")
            target = (page.parent / path).resolve() if path else page.resolve()
            if not target.is_file():
                wrong.append("%s: %s leads nowhere" % (page, link))
            elif heading and target.suffix == ".html" and 'id="%s"' % heading not in target.read_text():
                wrong.append("%s: %s: no such heading" % (page, link))
    print("\n".join(wrong + ["%d pages, %d links, %d wrong" % (len(pages), links, len(wrong))]))
    # A page has links to others at least.
    return 1 if wrong or links < 10 * len(pages) else 0


if __name__ == "__main__":
    sys.exit(main())
