import { ActionIcon, Button, FileButton, Group, Progress, Stack, Text, Tooltip } from '@mantine/core';
import {
  IconAlertCircle,
  IconCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconUpload,
  IconX,
} from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';
import { useNow } from '../../../kit/display/use-now.ts';
import { showFailure } from '../../../kit/display/notices/toasts.ts';
import { bytesText, percentOf } from '../../../kit/format/lengths.ts';
import { type InterruptedUpload, interruptedUploads } from '../../../kit/uploads/interrupted-uploads.ts';
import { remainingText } from '../../../kit/uploads/remaining-time.ts';
import type { QueuedUpload } from '../../../kit/uploads/upload-queue.ts';
import { uploadQueue, useUploads } from './upload-queue.ts';
import './videos.css';

/** Uploads chosen or dropped files into a room, one after the other. */
export function UploadPanel({ roomId }: { readonly roomId: string }) {
  const uploads = useUploads().filter((upload) => upload.roomId === roomId);
  const nowMs = useNow();
  const [isDragOver, setDragOver] = useState(false);
  const interrupted = interruptedUploads(localStorage, nowMs).filter(
    (upload) =>
      upload.roomId === roomId &&
      !uploads.some(({ file }) => file.name === upload.fileName && file.size === upload.sizeBytes),
  );

  function add(files: Iterable<File>): void {
    uploadQueue.add(roomId, [...files]);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setDragOver(false);
    add(event.dataTransfer.files);
  }

  return (
    <section
      className="panel upload"
      aria-label="Upload videos"
      data-over={isDragOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setDragOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDragOver(false);
      }}
      onDrop={drop}
    >
      <div className="upload-drop">
        <Group gap="md" wrap="nowrap">
          <IconUpload size={22} stroke={1.6} color="var(--mantine-color-dimmed)" aria-hidden />
          <div>
            <Text fw={560}>Drop video files here</Text>
            <Text fz="sm" c="dimmed">
              An interrupted upload continues where it stopped.
            </Text>
          </div>
        </Group>
        <FileButton multiple accept="video/*,audio/*,.mkv,.mov,.ts" onChange={add}>
          {(props) => (
            <Button {...props} leftSection={<IconUpload size={16} />}>
              Choose files
            </Button>
          )}
        </FileButton>
      </div>
      {uploads.map((upload) => (
        <UploadLine key={upload.key} upload={upload} />
      ))}
      {interrupted.map((upload) => (
        <InterruptedLine key={upload.videoId} upload={upload} onFile={(file) => add([file])} />
      ))}
    </section>
  );
}

function UploadLine({ upload }: { readonly upload: QueuedUpload }) {
  const { key, file, state, sentBytes, failure } = upload;
  const percent = file.size === 0 ? 0 : Math.floor(percentOf(sentBytes, file.size));
  return (
    <div className="line upload-line">
      <Stack gap={6} style={{ flex: 1, minWidth: 0 }}>
        <Group justify="space-between" gap="sm" wrap="nowrap">
          <Text fw={540} truncate title={file.name}>
            {file.name}
          </Text>
          <Text fz="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {state === 'done' ? bytesText(file.size) : `${percent} %`}
          </Text>
        </Group>
        {state !== 'done' && (
          <Progress
            value={percent}
            size="sm"
            color={state === 'failed' ? 'red' : state === 'uploading' ? 'pine' : 'gray'}
            aria-label={`Upload of ${file.name}`}
          />
        )}
        <Text
          fz="sm"
          component="div"
          role={failure === null ? undefined : 'alert'}
          c={failure === null ? 'dimmed' : 'red'}
        >
          {failure !== null && <IconAlertCircle size={14} className="upload-icon" aria-hidden />}
          {state === 'done' && <IconCheck size={14} className="upload-icon" aria-hidden />}
          {sentenceOf(upload)}
        </Text>
      </Stack>
      <Group gap={4} wrap="nowrap">
        {state === 'uploading' && (
          <LineAction
            label={`Pause ${file.name}`}
            icon={<IconPlayerPause size={16} />}
            onClick={() => uploadQueue.pause(key)}
          />
        )}
        {state === 'paused' && (
          <LineAction
            label={`Resume ${file.name}`}
            icon={<IconPlayerPlay size={16} />}
            onClick={() => uploadQueue.resume(key)}
          />
        )}
        {state === 'failed' && file.size > 0 && (
          <LineAction
            label={`Try ${file.name} again`}
            icon={<IconRefresh size={16} />}
            onClick={() => uploadQueue.resume(key)}
          />
        )}
        <LineAction
          label={state === 'done' ? `Hide ${file.name}` : `Cancel ${file.name}`}
          icon={<IconX size={16} />}
          onClick={() => void uploadQueue.remove(key).catch(showFailure)}
        />
      </Group>
    </div>
  );
}

function InterruptedLine(props: { readonly upload: InterruptedUpload; readonly onFile: (file: File) => void }) {
  const { upload, onFile } = props;
  const [isWrongFile, setWrongFile] = useState(false);
  return (
    <div className="line upload-line">
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text fw={540} truncate>
          {upload.fileName}
        </Text>
        <Text fz="sm" c={isWrongFile ? 'red' : 'dimmed'} role={isWrongFile ? 'alert' : undefined}>
          {isWrongFile
            ? `This is a different file. Choose “${upload.fileName}” (${bytesText(upload.sizeBytes)}), unchanged.`
            : 'Interrupted. Choose the file again to continue where the upload stopped.'}
        </Text>
      </div>
      <Group gap={4} wrap="nowrap">
        <FileButton
          onChange={(file) => {
            const isSame =
              file?.name === upload.fileName &&
              file.size === upload.sizeBytes &&
              file.lastModified === upload.lastModified;
            setWrongFile(file !== null && !isSame);
            if (file !== null && isSame) onFile(file);
          }}
        >
          {(button) => (
            <Button {...button} size="xs" variant="light" aria-label={`Continue ${upload.fileName}`}>
              Continue
            </Button>
          )}
        </FileButton>
        <LineAction
          label={`Cancel ${upload.fileName}`}
          icon={<IconX size={16} />}
          onClick={() => void uploadQueue.discard(upload.videoId).catch(showFailure)}
        />
      </Group>
    </div>
  );
}

function LineAction(props: { readonly label: string; readonly icon: React.ReactNode; readonly onClick: () => void }) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon variant="subtle" color="gray" aria-label={props.label} onClick={props.onClick}>
        {props.icon}
      </ActionIcon>
    </Tooltip>
  );
}

function sentenceOf({ state, file, sentBytes, bytesPerSecond, failure }: QueuedUpload): string {
  if (failure !== null) return failure;
  if (state === 'done') return 'Uploaded. The list below shows when it can be watched.';
  if (state === 'waiting') return 'Waiting for the previous upload.';
  const amount = `${bytesText(sentBytes)} of ${bytesText(file.size)}`;
  if (state === 'paused') return `Paused · ${amount}`;
  const speed = bytesPerSecond === null ? null : `${bytesText(bytesPerSecond)}/s`;
  return [amount, speed, remainingText(file.size - sentBytes, bytesPerSecond)]
    .filter((part) => part !== null)
    .join(' · ');
}
