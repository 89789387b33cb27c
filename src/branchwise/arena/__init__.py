"""Matches between bots, the file in which they are kept, and what they tell: who is stronger, how sure."""
