"""What `tools/check`, `tools/explain` and the runner of Python tests share."""
