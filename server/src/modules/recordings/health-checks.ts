import type { Dependencies } from '../../dependencies.ts';
import type { Finding } from '../../module.ts';
import { countRecordingsWithoutSize, countWaitingRecordings, type Wait } from './waiting.ts';

const waitNames: Readonly<Record<Wait, string>> = {
  processing: 'processing',
  change: 'a change',
  deletion: 'their deletion',
};

/** Reports recordings that wait for their provider, and those that `max_storage` does not count. */
export async function checkRecordings({ db }: Dependencies): Promise<Finding[]> {
  const [waiting, withoutSize] = await Promise.all([
    countWaitingRecordings(db, 100_000),
    countRecordingsWithoutSize(db),
  ]);
  const byProvider = new Map<string, string[]>();
  for (const { providerName, wait, count } of waiting) {
    if (count > 0)
      byProvider.set(providerName, [...(byProvider.get(providerName) ?? []), `${count} for ${waitNames[wait]}`]);
  }
  return [
    ...[...byProvider].map(([name, waits]): Finding => {
      return { subject: 'recordings', state: 'ok', text: `${name}: recordings waiting: ${waits.join(', ')}` };
    }),
    ...withoutSize.map(({ providerName, count }): Finding => {
      const text = `${providerName}: ${count} recordings have no size, so max_storage does not count them: set the provider's property recording_kbps`;
      return { subject: 'recordings', state: 'warning', text };
    }),
  ];
}
