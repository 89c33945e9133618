import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

export interface Program {
  readonly path: string;
  readonly version: string;
  readonly source: 'environment' | 'system' | 'npm';
}

export interface Programs {
  readonly ffmpeg: Program;
  readonly ffprobe: Program;
}

const run = promisify(execFile);

/** ffmpeg and ffprobe: from the environment, otherwise from the system, otherwise from the npm packages. */
export async function locatePrograms(paths: {
  readonly ffmpegPath: string | null;
  readonly ffprobePath: string | null;
}): Promise<Programs> {
  const [ffmpeg, ffprobe] = await Promise.all([
    locate('ffmpeg', paths.ffmpegPath, '@ffmpeg-installer/ffmpeg'),
    locate('ffprobe', paths.ffprobePath, '@ffprobe-installer/ffprobe'),
  ]);
  return { ffmpeg, ffprobe };
}

async function locate(name: string, path: string | null, packageName: string): Promise<Program> {
  if (path !== null) {
    const version = await versionOf(path);
    if (version === null) throw new Error(`${path} could not be run as ${name}.`);
    return { path, version, source: 'environment' };
  }
  const systemVersion = await versionOf(name);
  if (systemVersion !== null) return { path: name, version: systemVersion, source: 'system' };
  const packagePath = pathOfPackage(packageName);
  const version = packagePath === null ? null : await versionOf(packagePath);
  if (packagePath === null || version === null)
    throw new Error(
      `${name} was not found. Install the ffmpeg package of your system, or set FOYER_${name.toUpperCase()}.`,
    );
  return { path: packagePath, version, source: 'npm' };
}

async function versionOf(path: string): Promise<string | null> {
  try {
    const { stdout } = await run(path, ['-version'], { timeout: 10_000 });
    return /version (\S+)/.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Null if the optional package is not installed. */
function pathOfPackage(name: string): string | null {
  try {
    const { path } = createRequire(import.meta.url)(name) as { path?: unknown };
    return typeof path === 'string' ? path : null;
  } catch {
    return null;
  }
}
