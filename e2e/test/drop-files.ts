import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Locator } from 'playwright-core';

/** Drags the files over the element and drops them there. */
export async function dropFiles(element: Locator, ...paths: string[]): Promise<void> {
  const files = await Promise.all(
    paths.map(async (path) => ({ name: basename(path), content: await readFile(path, 'base64') })),
  );
  const dataTransfer = await element.page().evaluateHandle((dropped) => {
    const transfer = new DataTransfer();
    for (const { name, content } of dropped) {
      const bytes = Uint8Array.from(atob(content), (character) => character.codePointAt(0) ?? 0);
      transfer.items.add(new File([bytes], name, { type: 'video/mp4' }));
    }
    return transfer;
  }, files);
  for (const type of ['dragover', 'drop']) await element.dispatchEvent(type, { dataTransfer });
}
