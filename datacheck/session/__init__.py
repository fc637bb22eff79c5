"""The main job from end to end: a contract, data, options; a report."""
