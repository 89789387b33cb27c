"""The file in which matches are kept: its tables, its protection against foreign code, and exports."""
