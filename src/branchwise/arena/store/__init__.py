"""The file in which matches are kept: its tables, who may run what it names, and exports."""
