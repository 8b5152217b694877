// Keys in words have no shorter way for four of them.
