def causes():
    """{card: (cause, line that proves it)}"""
    return {
        # Four times "Plugin not found", for four reasons.
        "voxel": ("no-implementation", 4),
        "roi": ("asked-for-another", 3),
        "skip": ("other-runtimes-operator", 6),
        "round": ("older-than-operator", 2),
        # Refused, and not for want of an operator but once.
        "antialias": ("option-not-supported", 7),
        "training": ("exported-for-training", 7),
        "branch": ("no-implementation", 10),
        "weights": ("weights-missing", 2),
        # The model, the builder, the process.
        "types": ("types-disagree", 7),
        "reshape": ("shape-baked-in", 5),
        "profile": ("no-profile", 4),
        "fresh": ("library-not-loaded", 2),
    }
