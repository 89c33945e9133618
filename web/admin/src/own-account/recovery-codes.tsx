import { Alert, Button, Checkbox, CopyButton, Group, Stack } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';

interface Props {
  readonly codes: readonly string[];
  readonly doneLabel: string;
  readonly onDone: () => void;
}

/** The codes are shown once, so they disappear only after the person confirms that they are saved. */
export function RecoveryCodes({ codes, doneLabel, onDone }: Props) {
  const [isSaved, setSaved] = useState(false);
  const text = codes.join('\n');
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />} title="Save these recovery codes">
        Use one of these codes to sign in without your app. Each code works once. They won’t be shown again.
      </Alert>
      <ul className="recovery-codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton value={text} timeout={2000}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              onClick={copy}
              data-autofocus
            >
              {copied ? 'Copied' : 'Copy all'}
            </Button>
          )}
        </CopyButton>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => download(`${text}\n`, 'foyer-recovery-codes.txt')}
        >
          Download
        </Button>
      </Group>
      <Checkbox
        label="I have saved the codes"
        checked={isSaved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!isSaved} onClick={onDone}>
          {doneLabel}
        </Button>
      </Group>
    </Stack>
  );
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
