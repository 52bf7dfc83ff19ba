"""`make bench`: speed as ratios, each path and its baseline measured in turns in one run.

Not a test: a busy machine may miss a bar. One module a topic; __main__.py lists them.
"""
