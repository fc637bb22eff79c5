"""From a contract and files to measurements: plan, processes, store, evidence."""
