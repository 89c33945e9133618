import type { CsvFile } from '@foyer/sdk';

/** Saves a file under the name that the server sent, or else the default name. */
export async function saveCsv({ fileName, body }: CsvFile, defaultName: string): Promise<void> {
  const url = URL.createObjectURL(await new Response(body).blob());
  Object.assign(document.createElement('a'), { href: url, download: fileName ?? defaultName }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
