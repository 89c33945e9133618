import { Button, FileButton, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useState } from 'react';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { localeChoices } from '../../../kit/format/choices.ts';
import type { VideoRow } from '../nouns/rows.ts';
import { captionsFault, captionsTypeOf, findLanguage } from './captions-file.ts';

/** Adds captions in a language, or replaces the existing captions in that language. */
export function CaptionsDialog({ row, onClose }: { readonly row: VideoRow; readonly onClose: () => void }) {
  const choices = localeChoices('en');
  const [file, setFile] = useState<File | null>(null);
  const [language, setLanguage] = useState<string | null>(null);
  const [label, setLabel] = useState('');
  const submission = useSubmission();
  const fault = file === null ? null : captionsFault(file);
  const isReplacing = row.captions.some((caption) => caption.language === language);
  const action = isReplacing ? 'Replace captions' : 'Add captions';

  function choose(chosen: File | null): void {
    setFile(chosen);
    const match =
      chosen &&
      findLanguage(
        chosen.name,
        choices.map(({ value }) => value),
      );
    if (match) setLanguage(match);
  }

  async function save(): Promise<void> {
    const type = file && captionsTypeOf(file.name);
    if (!file || !type || language === null) return;
    await client.setVideoCaptions({
      params: { video_id: row.id, language },
      query: label.trim() === '' ? {} : { label: label.trim() },
      body: new Blob([await file.arrayBuffer()], { type }),
    });
    await refreshEverything();
    showDone('The captions have been saved.');
    onClose();
  }

  return (
    <Modal opened onClose={onClose} title={action}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submission.run(save, event.currentTarget);
        }}
      >
        <Stack>
          <RefusalAlert error={submission.failureOutsideFields('language', 'label')} />
          <Group gap="sm">
            <FileButton accept=".vtt,.srt,text/vtt,application/x-subrip" onChange={choose}>
              {(button) => (
                <Button {...button} variant="default" leftSection={<IconFileText size={16} />}>
                  Choose a file
                </Button>
              )}
            </FileButton>
            <Text fz="sm" c={fault === null ? 'dimmed' : 'red'} {...(fault === null ? {} : { role: 'alert' })}>
              {fault ?? file?.name ?? 'WebVTT (.vtt) or SubRip (.srt), up to 2 MB'}
            </Text>
          </Group>
          <Select
            label="Language"
            required
            searchable
            data={choices}
            value={language}
            error={submission.faultOf('language')}
            onChange={setLanguage}
          />
          <TextInput
            label="Label"
            description="The name in the caption menu of the player. If empty, the language’s own name, such as “Deutsch”."
            maxLength={100}
            value={label}
            error={submission.faultOf('label')}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={submission.isBusy}
              disabled={file === null || fault !== null || language === null}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
