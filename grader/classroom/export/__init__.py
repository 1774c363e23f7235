"""The ways out: grades as a table of all columns, for Canvas and for Moodle, and feedback pages for Moodle.

Points that wait for a person never become zeros unseen: such a grade is left out of what a platform is given and said,
unless the instructor asks for zeros.
"""
