import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Account } from './embedded-account.ts';

/** A program that ends when this process ends, even by kill -9. */
export interface WatchedProcess {
  readonly pid: number;
  /** How it ended: its exit code, or 128 and the signal's number as shells say it. */
  readonly ended: Promise<number>;
  /** Has the watchdog interrupt it. */
  interrupt(): void;
}

export interface WatchedCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly account: Account | null;
  /** Descriptor of the file that takes all output. */
  readonly output: number;
  /** An open directory, which the program finds at `/proc/self/fd/4`. */
  readonly directory: number | null;
  /** `INT` asks a postmaster for a fast shutdown; `KILL` ends all processes of the command at once. */
  readonly signal: 'INT' | 'KILL';
  /** Folders that are removed once the program has ended. */
  readonly removeAfterwards: readonly string[];
}

/** @throws the error of the operating system when the program cannot be run. */
export async function spawnWatched(command: WatchedCommand): Promise<WatchedProcess> {
  const shell = spawn(
    '/bin/sh',
    [
      '-c',
      script,
      'foyer-watchdog',
      command.signal,
      String(command.removeAfterwards.length),
      ...command.removeAfterwards,
      command.program,
      ...command.arguments,
    ],
    {
      // A session of its own, so that Ctrl-C in the terminal reaches Foyer alone, which still needs its database.
      detached: true,
      cwd: '/',
      env: environment,
      stdio: ['pipe', 'pipe', command.output, 'ignore', command.directory ?? 'ignore'],
      ...(command.account ? { uid: command.account.uid, gid: command.account.gid } : {}),
    },
  );
  shell.stdin?.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => {
    shell.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 128)));
    shell.once('error', () => resolve(126));
  });
  await once(shell, 'spawn');
  const pid = await readPid(shell);
  return { pid, ended, interrupt: () => void shell.stdin?.end() };
}

/**
 * The pipe at the standard input has its other end in this process alone: its end is the end of this process, or the
 * wish to stop. The shell ignores signals, because a terminal or a service manager may send them to it as well.
 */
const script = `
signal=$1 count=$2
shift 2
folders=
while [ "$count" -gt 0 ]; do
  quoted=$(printf '%s\\n' "$1" | sed "s/'/'\\\\\\\\''/g")
  folders="$folders '$quoted'"
  count=$((count - 1))
  shift
done
trap '' HUP INT TERM
exec 3<&0 0</dev/null
"$@" 3<&- 1>&2 &
program=$!
echo "$program"
exec 1>&2
(
  while read -r _ <&3; do :; done
  if [ "$signal" = KILL ]; then
    eval "[ -z \\"\\$folders\\" ] || rm -rf $folders"
    kill -KILL 0
  fi
  kill -INT "$program"
) &
watcher=$!
exec 3<&-
wait "$program"
status=$?
kill -KILL "$watcher" 2>/dev/null
[ -z "$folders" ] || eval "rm -rf $folders"
exit "$status"
`;

/** Nothing of the caller's: its PG… variables and its locale would change what PostgreSQL does. */
const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin',
  LC_ALL: 'C',
  HOME: '/',
};

async function readPid(shell: ChildProcess): Promise<number> {
  let text = '';
  for await (const chunk of shell.stdout ?? []) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return Number.parseInt(text, 10);
}
