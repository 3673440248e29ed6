"""What is remembered of answers, why that is right, and how it is switched off (docs/decisions/0011).

Everything remembered belongs to one generation: one revision of the records, until the next moment at which
time alone changes an answer. Only what a change of texts does not touch goes on to the next one.
"""
