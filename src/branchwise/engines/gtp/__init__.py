"""The Go Text Protocol; see docs/engines.md."""
