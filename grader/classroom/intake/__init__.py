"""The ways in: what was handed in, out of a learning platform's archive or a folder, into `submitted/`.

`take.take_in` is the one function for others. `sources.py` reads a source: `listing.py` lists its files; `moodle.py`,
`canvas.py`, `exchange.py` and `folders.py` know by a file's name whose it is, and `roster.py` which student that is.
`wrong.py` refuses another chapter's source, `choose.py` reads what the chapter asks for and nothing else; `place.py`
puts it there whole or not at all and keeps what was there; `by_hand.py` says what of that is the instructor's own and
stays. `told.py` repeats what was noticed where the submission is graded.
"""
