"""A local page over the places of a report: page, search, raise a threshold, read whole rows, mark them."""
