"""Columns of integers: indices, growth, downsampling by age, checked fields of messages."""
