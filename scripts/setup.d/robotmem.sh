# shellcheck shell=bash
# robotmem of PyPI, for the scripts that compare it: in a Python environment of its own in the cache.

# enter_robotmem: makes the environment when it is not there; $robotmem_python is its Python then.
enter_robotmem() {
  # jieba: the Chinese words that robotmem offers as an option.
  local packages=('robotmem[cjk]==0.1.3' 'jieba==0.42.1' 'sqlite-vec==0.1.9') venv python candidate
  venv=${ROBOT_MEMORY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/robot_memory}/robotmem
  robotmem_python=$venv/bin/python3
  [ "$(cat "$venv/.complete" 2>/dev/null)" != "${packages[*]}" ] || ! "$robotmem_python" -c '' 2>/dev/null || return 0
  echo "installing robotmem" >&2
  # The SQLite of many a Python cannot load sqlite-vec: the system's may be one that can.
  python=python3
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import ensurepip, sqlite3; sqlite3.Connection.enable_load_extension' 2>/dev/null; then
      python=$candidate && break
    fi
  done
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$robotmem_python" -m pip install --quiet --disable-pip-version-check "${packages[@]}" >&2
  echo "${packages[*]}" >"$venv/.complete"
}
