"""Games on the processes of an engine such as Ray or Dask, on this machine or on many.

The choice of an engine, the engines, the pool that gives them games, and what runs in their processes.
Nothing here imports Ray or Dask before one of them is chosen.
"""
