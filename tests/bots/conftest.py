"""Programs that tests start are no tests."""

collect_ignore_glob = ["engines/*.py"]
