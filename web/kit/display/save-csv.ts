import type { CsvFile } from '@foyer/sdk';

/** Saves what the platform printed, by the platform's own name for it. */
export async function saveCsv({ fileName, body }: CsvFile, otherwise: string): Promise<void> {
  const url = URL.createObjectURL(await new Response(body).blob());
  Object.assign(document.createElement('a'), { href: url, download: fileName ?? otherwise }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
