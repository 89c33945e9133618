import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { examineTexts } from '../platform/text/catalogues.ts';
import { StartFailure } from './open-database.ts';

/** The catalogues of texts in a folder, one JSON file per language. @throws StartFailure naming every faulty file. */
export async function readCatalogues(folder: string | null): Promise<Map<string, unknown>> {
  if (folder === null) return new Map();
  const names = await readdir(folder).catch((error: Error) => {
    throw new StartFailure(`FOYER_CATALOGUES_DIR cannot be read: ${error.message}`);
  });
  const catalogues = new Map<string, unknown>();
  const faults: string[] = [];
  for (const name of names.filter((fileName) => fileName.endsWith('.json')).sort()) {
    try {
      const texts: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'));
      const textFaults = examineTexts(texts).faults;
      if (textFaults.length === 0) catalogues.set(name, texts);
      else faults.push(`${name}: ${textFaults.join(' ')}`);
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new StartFailure(`FOYER_CATALOGUES_DIR: ${faults.join('\n')}`);
  return catalogues;
}
