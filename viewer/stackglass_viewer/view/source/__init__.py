"""Annotated source: a file with what each line costs."""
