import { pathToFileURL } from 'node:url';
import { stopWithoutParent } from './parent.mjs';
import { PrepareFailure, prepare } from './prepare.mjs';
import { targets } from './targets.mjs';

/**
 * Runs a bundle in this process, so that signals, exit code and kill -9 apply to it directly. Installs and builds first
 * if necessary.
 *
 * @param {'server' | 'sandbox' | 'media' | 'bench'} name
 * @param {readonly string[]} args
 */
export async function runBundle(name, args) {
  try {
    await prepare(needsOf(name, args));
  } catch (error) {
    if (!(error instanceof PrepareFailure)) throw error;
    console.error(error.message);
    process.exit(error.exitCode);
  }
  const { output } = targets[name];
  process.argv = [process.execPath, output, ...args];
  if (process.env['npm_lifecycle_event'] !== undefined) stopWithoutParent();
  await import(pathToFileURL(output).href);
}

/**
 * @param {'server' | 'sandbox' | 'media' | 'bench'} name
 * @param {readonly string[]} args
 * @returns {readonly import('./targets.mjs').TargetName[]}
 */
function needsOf(name, [command = 'start']) {
  if (name === 'sandbox' || name === 'media') return [name];
  if (name === 'bench') return ['server', 'console', 'media', 'bench'];
  return command === 'start' || command === 'api' ? ['server', 'console', 'player', 'media'] : ['server'];
}
