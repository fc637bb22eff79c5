"""Sign what was validated, and refuse to train on anything else. All but `sealing` runs without pydantic or polars."""
