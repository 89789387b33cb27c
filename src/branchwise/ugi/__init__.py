"""The Universal Game Interface: a text protocol between engines and other programs; see docs/engines.md."""
