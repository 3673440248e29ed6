"""Who may see and do what: the matrix, worlds that differ in hidden things only, canaries, the guard."""
