"""Chapter 5: Build, registration, loading."""
