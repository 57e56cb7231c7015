"""Labels: the table of a key's values, the bar with label filters, and the legend of colours."""
