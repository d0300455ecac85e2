/// Nothing: the target's name is all that this package is for.
