"""What games make of it: one folder per game, none importing another; all of them hear of physics only from `stand`."""
