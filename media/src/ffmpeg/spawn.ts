import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { confinedCommand, type Isolation } from './isolation.ts';

/** A program that ends with this process, even if this process is killed. */
export interface ConfinedProcess {
  readonly child: ChildProcess;
  /** The standard input of the program; null unless it was requested. */
  readonly input: Writable | null;
  readonly stdout: Readable;
  /** Must be read: a full pipe blocks the program. */
  readonly stderr: Readable;
  /** The outputs besides stdout, from descriptor `firstOutput`. */
  readonly outputs: readonly Readable[];
  kill(): void;
}

export interface SpawnOptions {
  readonly isolation: Isolation;
  /** The working directory. */
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly hasInput?: boolean;
  /** The number of outputs besides stdout. */
  readonly outputCount?: number;
}

/** The first descriptor of an extra output. The shell uses 3 and 4. */
export const firstOutput = 5;

/**
 * Descriptor 3 is a pipe from this process. When it closes, because this process has ended or kills the program, the
 * shell kills the program. Descriptor 4 is the input of the program, since a shell gives no input to background jobs.
 */
const script = `
"$@" <&4 3<&- 4<&- &
program=$!
exec 4<&-
(read -r _ <&3; kill -KILL "$program") >/dev/null 2>&1 &
watchdog=$!
exec 3<&-
wait "$program"
status=$?
kill -KILL "$watchdog" 2>/dev/null
wait "$watchdog" 2>/dev/null
exit "$status"
`;

/**
 * Starts a program on untrusted media: sandboxed, with a minimal environment, and with a watchdog.
 * @throws Error if no process can be started
 */
export function spawnConfined(path: string, args: readonly string[], options: SpawnOptions): ConfinedProcess {
  const { isolation, directory, env = {}, hasInput = false, outputCount = 0 } = options;
  const child = spawn('/bin/sh', ['-c', script, 'foyer-watchdog', ...confinedCommand(isolation, path, args)], {
    cwd: directory,
    // A process group of its own, so that Ctrl-C in the terminal reaches this process alone.
    detached: true,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LANG: 'C', HOME: directory, ...env },
    stdio: ['ignore', ...Array.from({ length: firstOutput - 1 + outputCount }, () => 'pipe' as const)],
  });
  // `stdio` is missing if this process has no descriptors left.
  const [, stdout, stderr, lifeline, input] = (child.stdio as ChildProcess['stdio'] | undefined) ?? [];
  const kill = () => void lifeline?.destroy();
  const handleEnd = () => {
    kill();
    input?.destroy();
  };
  child.once('exit', handleEnd).on('error', handleEnd);
  if (!stdout) throw new Error('The program could not be started.');
  // A pipe only fails after the program has ended, which the caller learns from its events.
  for (const stream of child.stdio) stream?.on('error', () => {});
  if (!hasInput) input?.destroy();
  return {
    child,
    input: hasInput ? (input as Writable) : null,
    stdout,
    stderr: stderr as Readable,
    outputs: child.stdio.slice(firstOutput) as unknown as Readable[],
    kill,
  };
}
