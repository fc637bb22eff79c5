"""The files of a dataset become four tables: rows, turns, cells, lines."""
