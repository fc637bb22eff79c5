"""What a redaction does beside the gate: it follows what is known of a person through a record, and looks again."""
