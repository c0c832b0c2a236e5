#!/bin/sh
# Installs adk from this checkout: dependencies from the lock file, the build, and a link in <prefix>/bin.
# POSIX sh, safe to run again. Nothing outside the prefix and this folder is touched.
set -eu

usage() {
  cat <<'TEXT'
usage: ./install.sh [options]

  --prefix DIR     link adk into DIR/bin (default: ~/.local)
  --completion     also write completion for bash, zsh and fish under DIR/share
  --no-completion  write none (the default)
  --demo           run `adk demo` at the end
  --demo-dir DIR   data home of the demo (default: ./adk-demo)
  --uninstall      remove exactly what was put there; your data stays
  --dry-run        say what would be done and change nothing
  -y, --yes        accepted for scripts; nothing is asked
  -h, --help       this text

examples:
  ./install.sh --demo
  ./install.sh --prefix "$HOME/.local" --completion
  ./install.sh --uninstall
TEXT
}

say() { printf '%s\n' "$*"; }
fail() { # fail EXIT-CODE WHAT HINT
  printf 'error: %s — %s\n' "$2" "$3" >&2
  exit "$1"
}
value() { # value OPTION COUNT VALUE
  if [ "$2" -lt 2 ] || [ -z "$3" ]; then fail 2 "$1 needs a value" "write $1 DIR"; fi
}
absolute() { case $1 in /*) printf '%s' "$1" ;; *) printf '%s/%s' "$PWD" "$1" ;; esac; }

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
prefix=${HOME:-}/.local
completion=no
demo=no
demo_dir=adk-demo
uninstall=no
dry=no
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) value "$1" $# "${2-}"; prefix=$2; shift ;;
    --prefix=?*) prefix=${1#*=} ;;
    --demo-dir) value "$1" $# "${2-}"; demo=yes; demo_dir=$2; shift ;;
    --demo-dir=?*) demo=yes; demo_dir=${1#*=} ;;
    --demo) demo=yes ;;
    --completion) completion=yes ;;
    --no-completion) completion=no ;;
    --uninstall) uninstall=yes ;;
    --dry-run) dry=yes ;;
    -y | --yes) ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; fail 2 "unknown option $1" "see ./install.sh --help" ;;
  esac
  shift
done
prefix=$(absolute "$prefix")
prefix=${prefix%/}
demo_dir=$(absolute "$demo_dir")
program=$here/bin/adk
link=$prefix/bin/adk
# One line for each thing put there, so that --uninstall takes away those and nothing else.
list=$prefix/share/adk/installed
tab=$(printf '\t')

run() { # run WHAT COMMAND...: with --dry-run says WHAT alone
  what=$1
  shift
  if [ "$dry" = yes ]; then say "would $what"; return 0; fi
  say "$what"
  "$@"
}

is_listed() { [ -f "$list" ] && grep -Fqx -- "$1" "$list"; }
note() { # note KIND PATH
  line=$1$tab$2
  is_listed "$line" || printf '%s\n' "$line" >>"$list"
}

make_dir() { # every missing folder on the way is noted, parents first
  [ -d "$1" ] && return 0
  make_dir "$(dirname -- "$1")"
  mkdir -- "$1"
  made="$made$1
"
}

check_tools() {
  if ! command -v node >/dev/null 2>&1; then
    fail 1 "Node.js is not installed" "install Node 22 from https://nodejs.org/en/download or with your package manager, then run this again"
  fi
  version=$(node -p 'process.versions.node')
  if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
    fail 1 "Node.js $version is too old, adk needs 20.19 or newer" "install Node 22 from https://nodejs.org/en/download, then run this again"
  fi
  if ! command -v npm >/dev/null 2>&1; then
    fail 1 "npm is not installed" "it comes with Node.js from https://nodejs.org/en/download"
  fi
  if ! command -v git >/dev/null 2>&1; then
    fail 1 "git is not installed" "install it with your package manager (apt install git, dnf install git, brew install git)"
  fi
  say "Node.js $version, $(git --version)"
}

# Each package that is installed has the version of the lock file, and each that must be there is.
dependencies_current() {
  [ -f "$here/node_modules/.package-lock.json" ] || return 1
  (cd "$here" && node -e '
    const read = (file) => JSON.parse(require("node:fs").readFileSync(file, "utf8")).packages;
    const wanted = read("package-lock.json");
    const found = read("node_modules/.package-lock.json");
    const differs = ([path, { version, optional }]) => path !== "" && (found[path] ? found[path].version !== version : !optional);
    process.exit(Object.entries(wanted).some(differs) ? 1 : 0);
  ')
}

link_is_ours() {
  [ -L "$link" ] || return 1
  [ "$(readlink -- "$link")" = "$program" ] || is_listed "link$tab$link"
}

write_completion() { # write_completion SHELL PATH
  if [ -e "$2" ] && ! is_listed "file$tab$2"; then
    say "kept $2, which is not from adk"
    return 0
  fi
  make_dir "$(dirname -- "$2")"
  "$program" completion "$1" >"$2"
  note file "$2"
}

install_completion() {
  write_completion bash "$prefix/share/bash-completion/completions/adk"
  write_completion zsh "$prefix/share/zsh/site-functions/_adk"
  write_completion fish "$prefix/share/fish/vendor_completions.d/adk.fish"
}

install_link() {
  make_dir "$prefix/bin"
  rm -f -- "$link"
  ln -s -- "$program" "$link"
  note link "$link"
}

install_dependencies() { (cd "$here" && npm ci --include=dev --no-audit --no-fund); }
build() { (cd "$here" && node scripts/build.mjs); }

install() {
  check_tools
  if { [ -e "$link" ] || [ -L "$link" ]; } && ! link_is_ours; then
    fail 2 "$link is there already and is not from this installer" "move it away, or choose another --prefix"
  fi
  had_modules=no
  [ -d "$here/node_modules" ] && had_modules=yes
  had_dist=no
  [ -d "$here/dist" ] && had_dist=yes
  if dependencies_current; then
    say "dependencies are those of package-lock.json"
  else
    run "install dependencies from package-lock.json" install_dependencies ||
      fail 1 "npm could not install the dependencies" "see its message above, then run this again"
  fi
  run "build adk in $here/dist" build || fail 1 "the build failed" "see its message above, then run this again"
  made=
  if [ "$dry" = no ]; then
    make_dir "$(dirname -- "$list")"
    [ -f "$list" ] || : >"$list"
    [ "$had_modules" = yes ] || note tree "$here/node_modules"
    [ "$had_dist" = yes ] || note tree "$here/dist"
  fi
  run "link $link to $program" install_link
  [ "$completion" = no ] || run "write completion for bash, zsh and fish under $prefix/share" install_completion
  if [ -n "$made" ]; then
    printf '%s' "$made" | while IFS= read -r folder; do note dir "$folder"; done
  fi
  case ":${PATH:-}:" in
    *":$prefix/bin:"*) ;;
    *) say "adk is not on your PATH yet: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  [ "$dry" = yes ] || "$program" doctor || say "adk doctor found something to mend, see above; adk is installed"
  [ "$demo" = no ] || run "run the demo in $demo_dir" "$program" demo --dir "$demo_dir" --keep
}

remove_one() { # remove_one KIND PATH
  case $1$tab$2 in
    "tree$tab$here/node_modules" | "tree$tab$here/dist")
      [ ! -d "$2" ] || run "remove $2" rm -rf -- "$2" ;;
    "link$tab$prefix/"*)
      case $([ ! -L "$2" ] || readlink -- "$2") in */bin/adk) run "remove $2" rm -f -- "$2" ;; esac ;;
    "file$tab$prefix/"*)
      if [ -f "$2" ] && grep -q 'adk completion' "$2"; then run "remove $2" rm -f -- "$2"; fi ;;
  esac
}

uninstall() {
  if [ ! -f "$list" ]; then
    if [ -L "$link" ] && [ "$(readlink -- "$link")" = "$program" ]; then run "remove $link" rm -f -- "$link"; else say "nothing of adk is in $prefix"; fi
    return 0
  fi
  while IFS=$tab read -r kind path; do remove_one "$kind" "$path"; done <"$list"
  folders=$(sed -n "s/^dir$tab//p" "$list" | sort -r)
  run "remove $list" rm -f -- "$list"
  printf '%s\n' "$folders" | while IFS= read -r folder; do
    if [ "$dry" = no ] && [ -d "$folder" ]; then rmdir -- "$folder" 2>/dev/null || :; fi
  done
  say "your data (ADK_DATA_HOME, else ~/.agents-devkit) and this checkout stay; delete them yourself if you want"
}

if [ "$uninstall" = yes ]; then uninstall; else install; fi
