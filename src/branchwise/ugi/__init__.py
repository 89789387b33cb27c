"""The Universal Game Interface: a program that plays, spoken to in lines of text; see docs/engines.md."""
