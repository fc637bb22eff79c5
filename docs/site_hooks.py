"""What `mkdocs.yml` asks of Python: the READMEs as pages, and no link that leaves the documentation."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
_PAGES = {"README.md": "quickstart.md", "README.zh.md": "quickstart.zh.md"}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?!https?:|#)[^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the READMEs: what stands in them need not be written twice."""
    for source, page in _PAGES.items():
        text = (ROOT / source).read_text("utf-8")
        text = re.sub(r"\]\(docs/([^)]*)\)", r"](\1)", text)
        for other, at in _PAGES.items():
            text = text.replace(f"]({other})", f"]({at})")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links to sources stay as their words; a link to a page that is not there still ends the build."""
    del config
    here = Path(page.file.src_uri).parent

    def within(link: re.Match[str]) -> str:
        target = (ROOT / "docs" / here / link[2].partition("#")[0]).resolve()
        outside = not target.is_relative_to(ROOT / "docs") or page.file.src_uri in _PAGES.values()
        known = any(file.src_uri == str(here / link[2].partition("#")[0]) for file in files)
        return link[1] if outside and not known else link[0]

    return _LINK.sub(within, markdown)
