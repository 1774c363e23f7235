# Grading a class in a container: docs/confinement.md says how to run it.
FROM python:3.13-slim-bookworm

RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*

# Python and all packages in a folder that every user can read, so that each child can be a user of its own.
COPY requirements.lock /opt/grader/
RUN python -m venv /opt/grader/venv \
    && /opt/grader/venv/bin/pip install --no-cache-dir --require-hashes -r /opt/grader/requirements.lock
COPY . /opt/grader/source
RUN /opt/grader/venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation /opt/grader/source \
    && rm -rf /opt/grader/source

# The engine, the plugin host and TensorRT's headers are made now: the container has no network later.
ENV PATH=/opt/grader/venv/bin:$PATH GRADER_CACHE=/opt/grader/cache
RUN grader plugin-lane && grader doctor || true
RUN chmod -R a+rX /opt/grader

WORKDIR /class
ENTRYPOINT ["grader"]
