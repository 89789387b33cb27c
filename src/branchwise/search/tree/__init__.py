"""Reading search trees: views of nodes, drawings, and files."""
