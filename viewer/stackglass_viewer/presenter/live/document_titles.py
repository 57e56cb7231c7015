"""Titles of documents, for files and pictures that are made from them."""

from __future__ import annotations

from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.group_document import GroupDocument


def title_document(document: Document) -> str:
    """Return the title of a document: a file's name, or program and PID. "" = not built yet."""
    if isinstance(document, LiveDocument | GroupDocument):
        return document.title
    return document.info.title if document.info is not None else ""
