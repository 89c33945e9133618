import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { OsAccount } from './embedded-account.ts';

/** A program that ends when this process ends, even by kill -9. */
export interface WatchedProcess {
  readonly pid: number;
  /** The exit code, or 128 plus the number of the signal that ended the program. */
  readonly ended: Promise<number>;
  /** Lets this process end while the program is running. The watchdog then ends the program. */
  detach(): void;
  /** The watchdog sends the signal. */
  interrupt(): void;
}

export interface WatchedCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly account: OsAccount | null;
  /** Descriptor of the file for all output. */
  readonly output: number;
  /** Descriptor of a directory that the program finds at `inheritedDirectory`. */
  readonly directory: number | null;
  /** `INT` asks a postmaster for a fast shutdown; `KILL` ends all processes of the command at once. */
  readonly signal: 'INT' | 'KILL';
  /** A folder that is removed once the program has ended. */
  readonly removeAfterwards: string | null;
}

export const inheritedDirectory = '/proc/self/fd/4';

/** @throws the error of the operating system when the program cannot be run. */
export async function spawnWatched(command: WatchedCommand): Promise<WatchedProcess> {
  const { program, account, signal, removeAfterwards } = command;
  const shell = spawn(
    '/bin/sh',
    ['-c', script, 'foyer-watchdog', signal, removeAfterwards ?? '', program, ...command.arguments],
    {
      // Separate session: Ctrl-C in the terminal would stop the database while Foyer still needs it.
      detached: true,
      cwd: '/',
      env: environment,
      stdio: ['pipe', 'pipe', command.output, 'ignore', command.directory ?? 'ignore'],
      ...(account ? { uid: account.uid, gid: account.gid } : {}),
    },
  );
  shell.stdin?.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => {
    shell.once('exit', (code, endSignal) => resolve(code ?? 128 + (endSignal ? constants.signals[endSignal] : 0)));
    shell.once('error', () => resolve(126));
  });
  await once(shell, 'spawn');
  const pid = await readPid(shell);
  return {
    pid,
    ended,
    detach() {
      shell.unref();
      unrefPipe(shell);
    },
    interrupt() {
      shell.ref();
      shell.stdin?.end();
    },
  };
}

/**
 * Standard input is a pipe from this process, so it closes when this process ends or asks the program to stop. The
 * shell ignores signals that a terminal or a service manager may send to it as well.
 */
const script = `
signal=$1 folder=$2
shift 2
trap '' HUP INT TERM
exec 3<&0 0</dev/null
"$@" 3<&- 1>&2 &
program=$!
echo "$program"
exec 1>&2
(
  while read -r line <&3; do :; done
  [ "$signal" = INT ] || kill -KILL 0
  kill -INT "$program"
) &
watcher=$!
exec 3<&-
wait "$program"
status=$?
kill -KILL "$watcher" 2>/dev/null
[ -z "$folder" ] || rm -rf "$folder"
exit "$status"
`;

/** Not inherited: `PG…` variables and the locale of the caller would change what PostgreSQL does. */
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

function unrefPipe({ stdin }: ChildProcess): void {
  if (stdin && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
}
