/**
 * Launcher script: the POSIX sh program between the runtime and a command (DESIGN section 7).
 *
 *   runtime ══ lifeline (fd 3) ══╗
 *     └─ launcher, leads session and group
 *          ├─ watcher: reads the lifeline; at its end it ends the tree (TERM, after 2 s KILL)
 *          ├─ runner ─ command, marked HOLDFAST_CALL, without fd 3
 *          └─ relay: cat, carries the output on
 *
 * The runner reports `exit <status> left <count>` over the lifeline, count being the processes
 * that the command left behind. The launcher stays until the watcher ends, which reaps it: orphans
 * would pile up as zombies where process 1 does not reap. Only the runtime closes the lifeline.
 *
 * The relay exists because the output of a Node child is a socket, and opening /dev/stderr of
 * a socket fails; the command gets a true pipe for both streams, hence exact order.
 *
 * Own processes carry HOLDFAST_LAUNCHER and the command does not: so the tree is told from its
 * keepers. The watcher and the relay ignore TERM; launcher and runner catch it, because an ignored
 * signal would stay ignored in the command. Script and command travel in the environment, so that
 * `pkill -f` in a command does not hit its own launcher. Off Linux the tree is the process group.
 *
 * With HOLDFAST_GROUP the command moves into that control group before anything else, and what is
 * in there is of the tree. With HOLDFAST_NAMESPACE the launcher is the first process of a PID
 * namespace: all that /proc shows is of the tree, and what is left dies with the launcher.
 */

/** Text that the launcher evaluates; it expects the call id in $1 and the command in HOLDFAST_COMMAND. */
export function launcherScript(): string {
  return script
}

const script = String.raw`
call=$1 command=$HOLDFAST_COMMAND group=$HOLDFAST_GROUP
# The first process of a namespace has the number 1; anywhere else all that /proc shows is not ours.
mates=$$; [ -n "$HOLDFAST_NAMESPACE" ] && [ "$$" = 1 ] && mates='[0-9]+'
trap : TERM INT HUP
exec 4>&1 >/dev/null
linux=; [ -r /proc/self/environ ] && linux=yes

# Not every grep reads entries that end in NUL.
choose_search() { exact=; printf 'a\0' | grep -qzxF a && exact=yes; }

# environ_files -l|-L <mark> <files>: which of them hold, or do not hold, exactly this entry.
environ_files() {
  mode=$1 mark=$2; shift 2
  if [ -n "$exact" ]; then grep "$mode" -szxF -e "$mark" "$@"; return 0; fi
  for file in "$@"; do
    [ -r "$file" ] || continue
    if tr '\0' '\n' <"$file" | grep -qxF -e "$mark"; then [ "$mode" = -l ] && echo "$file"
    else [ "$mode" = -L ] && echo "$file"; fi
  done
  return 0
}

# Live processes in the control group, and in groups that were made inside it. It starts nothing
# for an empty one, for that is the usual case.
find_members() {
  members=
  [ -d "$group" ] || return 0
  while read -r key value; do
    [ "$key $value" != 'populated 0' ] || return 0
  done <"$group/cgroup.events"
  members=$(find "$group" -name cgroup.procs -exec cat {} +)
}

# Live processes of the tree: members, marked ones, and mates that are not the launcher's own.
tree() {
  [ -n "$linux" ] || return 0
  near=$(sed -nE 's|^([0-9]+) \(.*\) [^ZX] [0-9]+ '"$mates"' .*|/proc/\1/environ|p' /proc/[0-9]*/stat)
  find_members
  seen=' '
  for file in $(environ_files -L "HOLDFAST_LAUNCHER=$call" $near) \
    $(environ_files -l "HOLDFAST_CALL=$call" /proc/[0-9]*/environ) $members; do
    pid=@{file#/proc/} pid=@{pid%/environ}
    case $seen in *" $pid "*) ;; *) seen="$seen$pid "; echo "$pid" ;; esac
  done
}

kill_members() { [ -d "$group" ] && echo 1 >"$group/cgroup.kill"; }
remove_group() { [ -d "$group" ] && find "$group" -depth -type d -exec rmdir {} +; }
signal_each() { name=$1; shift; for pid; do kill -s "$name" "$pid"; done; }
centiseconds() { read -r up rest </proc/uptime; now=@{up%.*}@{up#*.}; }

end_tree() {
  kill -s TERM 0
  if [ -z "$linux" ]; then sleep 2; kill -s KILL 0; fi
  pids=$(tree)
  signal_each TERM $pids
  centiseconds; kill_at=$((now + 200)) stop_at=$((now + 1000))
  while [ -n "$pids" ]; do
    sleep 0.05 || sleep 1
    pids=$(tree)
    centiseconds
    [ "$now" -ge "$kill_at" ] && { kill_members; signal_each KILL $pids; }
    [ "$now" -ge "$stop_at" ] && kill -s KILL 0
  done
  remove_group
}

(
  trap '' TERM INT HUP
  exec 4>&-
  choose_search
  while read -r line <&3; do :; done
  end_tree
) &
watcher=$!

{
  trap : TERM INT HUP
  exec 4>&-
  (
    exec 3<&- 2>&1
    [ -z "$group" ] || echo 0 >"$group/cgroup.procs" || exit 126
    unset HOLDFAST_LAUNCHER HOLDFAST_SCRIPT HOLDFAST_COMMAND HOLDFAST_GROUP HOLDFAST_NAMESPACE
    HOLDFAST_CALL=$call; export HOLDFAST_CALL
    shell=/bin/sh; command -v bash >/dev/null && shell=bash
    exec "$shell" -c "$command"
  )
  status=$?
  exec >/dev/null
  choose_search
  set -- $(tree)
  echo "exit $status left $#" >&3
} | (
  trap '' TERM INT HUP
  exec cat >&4 3<&- 4>&-
)
exec 4>&-
while kill -s 0 "$watcher"; do wait "$watcher"; done
`.replaceAll("@{", "${")
