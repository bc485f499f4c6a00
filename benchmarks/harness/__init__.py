"""What the paper's experiments and our own studies share: processes, tasks, data sets, records."""
