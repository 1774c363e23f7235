"""The `grader` command."""
