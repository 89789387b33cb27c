"""Who is stronger: matches between bots, and the file in which they are kept."""
