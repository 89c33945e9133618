import { startSandbox } from './index.ts';
import { type SandboxSettings, readSettings } from './settings.ts';

const configuration = readSettings(process.env);
if ('faults' in configuration) {
  for (const fault of configuration.faults) console.error(fault);
  process.exitCode = 2;
} else {
  await run(configuration.settings);
}

async function run(settings: SandboxSettings): Promise<void> {
  try {
    const sandbox = await startSandbox(settings);
    const stop = () => void sandbox.close();
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    console.log(`The sandbox is ready at ${sandbox.apiUrl}`);
  } catch (error) {
    console.error(describeError(error, settings));
    process.exitCode = 1;
  }
}

function describeError(error: unknown, { host, port }: SandboxSettings): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is already in use. Stop the program that uses it, or set SANDBOX_PORT.`;
  }
  if (code === 'EACCES')
    return `Port ${port} on ${host} cannot be used: you have no permission for it. Set SANDBOX_PORT to another port.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${host} is not an address of this machine. Set SANDBOX_HOST to another address.`;
  }
  return `The sandbox could not start: ${String(error)}`;
}
