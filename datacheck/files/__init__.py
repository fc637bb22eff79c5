"""Files and folders of data before anything is parsed: what is there, its manifest, how its names are shown."""
