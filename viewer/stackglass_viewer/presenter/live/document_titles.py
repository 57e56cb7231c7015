"""Titles of documents, in files and pictures that are made of them."""

from __future__ import annotations

from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.group_document import GroupDocument


def title_document(document: Document) -> str:
    """The file that it shows; of a process, program and PID. "" = it was not built yet."""
    if isinstance(document, LiveDocument | GroupDocument):
        return document.title
    return document.info.title if document.info is not None else ""
