import { endpoints } from '@foyer/contract';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { FactList } from '../../../kit/display/facts.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { type Edit, EditForm } from '../../../kit/form/edit-form.tsx';
import { type FormField, formFieldsOf } from '../../../kit/form/form-fields.ts';
import type { FormValues } from '../../../kit/form/form-values.ts';
import { wordOf } from '../../../kit/format/label.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { bodyOf } from './stream-body.ts';
import { useStream } from './use-stream.ts';

const hints = {
  record: 'Takes effect with the next broadcast, if the subscription includes recording.',
  latency_mode:
    'Takes effect with the next broadcast. Low latency must be part of the subscription, and needs a stable connection.',
  source:
    'Only if the media server should fetch the picture, for example from a camera. The address begins with rtmp, rtmps, srt, rtsp, or with https for HLS. Leave it empty to send with an encoder.',
};

const sourceField: FormField = {
  name: 'source',
  label: 'Fetch from',
  description: null,
  required: false,
  nullable: true,
  input: { kind: 'text', format: null, maxLength: 2048 },
};

/** Recording, latency and the source of a stream. */
export function StreamSettings({ roomId }: { readonly roomId: string }) {
  const may = useMay();
  const stream = useStream(roomId).data?.data;
  const params = { room_id: roomId };
  if (!may('updateStream')) {
    if (!stream) return null;
    return (
      <Panel title="Settings">
        <FactList
          facts={[
            ['Recorded', stream.record ? 'Yes' : 'No'],
            ['Latency', wordOf(stream.latency_mode)],
            ['Fetched from', stream.source?.url ?? 'No source: an encoder sends the picture'],
          ]}
        />
      </Panel>
    );
  }
  const contractFields = formFieldsOf(endpoints.updateStream.body).filter(({ name }) => name !== 'source');

  async function save(_values: FormValues, { changed, ifMatch }: Edit): Promise<void> {
    await client.updateStream({ params, body: bodyOf(changed), ifMatch });
    await refreshEverything();
    showDone('The settings of the stream have been saved.');
  }

  return (
    <Panel flush title="Settings">
      <EditForm
        target={{ read: 'readStream', params, fields: ['record', 'latency_mode', 'source'] }}
        valuesOf={(row) => ({ ...row, source: sourceOf(row) })}
        fields={[...contractFields, sourceField]}
        groups={[{ title: '', fields: ['latency_mode', 'record', 'source'] }]}
        hints={hints}
        isCreation={false}
        isDisabledUntilChanged
        submitLabel="Save settings"
        cancelLabel="Undo changes"
        onSave={save}
      />
    </Panel>
  );
}

function sourceOf({ source }: FormValues): string | null {
  return (source as { readonly url: string } | null)?.url ?? null;
}
