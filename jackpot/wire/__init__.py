"""What both ends of the wire share: generated messages, refusals, channels, ids and limits.

A client needs this and nothing else of `jackpot`. It imports nothing from the rest.
"""
