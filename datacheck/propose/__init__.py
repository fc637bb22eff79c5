"""A first contract that fits given data."""
