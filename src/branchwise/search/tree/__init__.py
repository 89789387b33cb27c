"""A search's tree for its reader: views of nodes, drawings, and files."""
