#!/usr/bin/env bash
# Makes .venv in the folder above this one and installs the course into it; run again, it finds nothing to do.
#
#   PYTHON=/path/to/python3.12 setup/environment.sh     take this Python (3.11 to 3.14) instead of the newest found
#
# Works the same in a clone (installs the package in place) and in a class release (installs wheels/*.whl).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# An empty environment has no PATH, and what follows needs one.
export PATH="${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"
# Settings of another project must not leak in. Indexes, proxies and certificates are the user's and stay.
unset PYTHONPATH PYTHONHOME PYTHONSTARTUP VIRTUAL_ENV PIP_REQUIREMENT PIP_EDITABLE PIP_TARGET PIP_PREFIX PIP_ROOT \
  PIP_REQUIRE_HASHES PIP_DRY_RUN PIP_PYTHON PIP_BUILD_CONSTRAINT PIP_IGNORE_INSTALLED
export PIP_CONSTRAINT=/dev/null PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

say() { printf '==> %s\n' "$*"; }
stop() {
  printf '\nSet-up stopped: %s\n' "$1" >&2
  if [ $# -gt 1 ]; then printf '\n    %s\n\nThen run the same command again.\n' "$2" >&2; fi
  exit 1
}

# The command that installs a system package: distribution's tool, package names for Debian, Fedora, Arch, openSUSE.
install_command() {
  local sudo='sudo '
  [ "$(id -u)" = 0 ] && sudo=''
  if command -v apt-get >/dev/null; then echo "${sudo}apt install $1"
  elif command -v dnf >/dev/null; then echo "${sudo}dnf install $2"
  elif command -v pacman >/dev/null; then echo "${sudo}pacman -S $3"
  elif command -v zypper >/dev/null; then echo "${sudo}zypper install $4"
  else echo "install the package $1 with your system's package manager"; fi
}

# Prints "3.12" if $1 is a Python that the course runs on, else nothing.
version_of() {
  "$1" -c 'import sys; v = sys.version_info[:2]; print("%d.%d" % v if (3, 11) <= v <= (3, 14) else "")' 2>/dev/null || true
}

# Sets `python` and `version`: $PYTHON, else the newest Python that can make a virtual environment.
choose_python() {
  local candidate found without_venv=''
  if [ -n "${PYTHON:-}" ]; then
    version="$(version_of "$PYTHON")"
    [ -n "$version" ] || stop "PYTHON=$PYTHON is no Python 3.11 to 3.14"
    python="$PYTHON"
    can_make_venv "$python" || stop_without_venv "$version"
    return
  fi
  for candidate in python3.14 python3.13 python3.12 python3.11 python3; do
    found="$(version_of "$candidate")"
    [ -n "$found" ] || continue
    if can_make_venv "$candidate"; then
      python="$candidate" version="$found"
      return
    fi
    without_venv="${without_venv:-$found}"
  done
  [ -z "$without_venv" ] || stop_without_venv "$without_venv"
  stop "no Python 3.11 to 3.14 was found. If you have one, name it: make course PYTHON=/path/to/python3" \
    "$(install_command 'python3 python3-venv' python3 python python312)"
}

can_make_venv() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

stop_without_venv() {
  stop "Python $1 is here, but not its module for virtual environments. This adds it:" \
    "$(install_command "python$1-venv" "python$1" python "python${1/./}-venv")"
}

# The Python of .venv if that works here; nothing if it is none, broken, or was moved (its programs name their place).
present_version() {
  head -n 3 .venv/bin/pip 2>/dev/null | grep -qF "$PWD/.venv/bin/python" || return 0
  version_of .venv/bin/python
}

need_tools() {
  command -v g++ >/dev/null || stop "g++ is missing: it compiles the simulated GPU and your C++. This adds it:" \
    "$(install_command g++ gcc-c++ gcc gcc-c++)"
  command -v make >/dev/null || stop "make is missing. This adds it:" "$(install_command make make make make)"
}

# What the environment is made of; while this stays the same, there is nothing to install.
fingerprint() {
  { cat requirements.lock setup/environment.sh pyproject.toml wheels/*.whl 2>/dev/null || true; echo "$version"; pwd; } |
    sha256sum | cut -d' ' -f1
}

# Shows pip's progress as one line that a newcomer can follow: how many packages of how many.
progress() {
  local total
  total="$(grep -c '^[a-zA-Z0-9]' requirements.lock)"
  awk -v total="$total" -v terminal="$([ -t 1 ] && echo 1 || echo 0)" '
    /^(Collecting|Requirement already satisfied:) / {
      n++
      name = $0; sub(/^Collecting /, "", name); sub(/^Requirement already satisfied: /, "", name); sub(/[=<>! ].*/, "", name)
      if (terminal) printf "\r    %3d of at most %d packages: %-40s", n, total, name
      else if (n % 25 == 0) printf "    %d of at most %d packages\n", n, total
      fflush()
    }
    /^Installing collected packages/ { if (terminal) printf "\r%-78s\r", ""; print "    unpacking them"; fflush() }
    END { if (terminal) printf "\r%-78s\r", "" }'
}

install_all() {
  local log=.venv/set-up.log
  say "Installing what the course needs from requirements.lock (about 235 MB to download the first time)"
  if ! .venv/bin/python -m pip install --require-hashes -r requirements.lock 2>&1 | tee "$log" | progress; then
    tail -n 15 "$log" >&2
    stop "pip could not install the packages; its last words are above, all of them in $log"
  fi
  say "Installing the course itself"
  local target=(--no-build-isolation -e .)
  [ -f pyproject.toml ] || target=(--force-reinstall wheels/*.whl)
  .venv/bin/python -m pip install --quiet --no-deps "${target[@]}" >>"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    stop "the course's package could not be installed; pip's last words are above"
  }
}

main() {
  need_tools
  local present=''
  present="$(present_version)"
  if [ -n "$present" ] && [ -z "${PYTHON:-}" ]; then
    version="$present"  # what is there is good enough
  else
    choose_python
    if [ "$present" != "$version" ]; then
      say "Making .venv with Python $version ($(command -v "$python"))"
      "$python" -m venv --clear .venv || stop "$python could not make .venv; is the disk full or the folder read-only?"
    fi
  fi
  local wanted
  wanted="$(fingerprint)"
  if [ "$(cat .venv/.set-up 2>/dev/null)" != "$wanted" ]; then
    rm -f .venv/.set-up
    install_all
    echo "$wanted" >.venv/.set-up
  fi
  PATH="$PWD/.venv/bin:$PATH" .venv/bin/python -c '
import sys
from grader.simulator.build import is_built
from grader.workspace.machine import abilities
if not is_built():
    print("==> Compiling the simulated GPU (once; about 20 seconds)", flush=True)
[gpu] = abilities(["simulated-gpu"])
sys.exit(None if gpu.ok else gpu.found)' || stop "the simulated GPU does not run here; the lines above say why"
}

main
