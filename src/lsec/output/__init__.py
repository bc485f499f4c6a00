"""Where results go: labels in memory or files, scratch files, files that appear when complete."""
