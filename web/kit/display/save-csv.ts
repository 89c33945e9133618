import type { CsvFile } from '@foyer/sdk';

/** Saves a file under the name that the server sent. */
export async function saveCsv({ fileName, body }: CsvFile, otherwise: string): Promise<void> {
  const url = URL.createObjectURL(await new Response(body).blob());
  Object.assign(document.createElement('a'), { href: url, download: fileName ?? otherwise }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
