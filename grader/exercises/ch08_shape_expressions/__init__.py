"""Chapter 8: shapes that are expressions while an engine is built, and numbers when it runs."""
