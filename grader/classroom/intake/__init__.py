"""The ways in: what was handed in, out of a learning platform's archive or a folder, into `submitted/`.

`take.take_in` is the one function for others. `listing.py` lists the files of a source; `moodle.py`, `canvas.py`,
`exchange.py` and `folders.py` know whose a file is by its name, `roster.py` which student that is; `choose.py` reads
what the chapter asks for and nothing else; `place.py` puts it there whole or not at all and keeps what was there.
"""
