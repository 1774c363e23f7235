def runs(profile):
    """(context, Q, P) for each run: what shows a plugin that does not follow its shapes."""
    q_min, _, q_max = profile["Q"]
    p_min, _, p_max = profile["P"]
    q = q_min + 1 - q_min % 2  # odd, and p even: an odd number of elements, and two extents that differ
    p = p_min + 2 - p_min % 2
    sequence = [
        (1, q, p),
        (1, q + 1, p - 1),  # a row of the same length; one extent grows, the other one shrinks
        (2, q_max, p_max),  # the largest, in another context
        (1, q + 1, p - 1),  # nothing has changed for this one
    ]
    if q_min == 0:
        sequence.append((1, 0, p))
    if p_min == 0:
        sequence.append((1, q, 0))
    return sequence
