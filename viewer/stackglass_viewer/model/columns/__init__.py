"""Columns of integers: index types, growing and packed columns, downsampling by age, and columns
read from messages."""
