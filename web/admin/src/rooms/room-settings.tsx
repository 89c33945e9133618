import { Stack } from '@mantine/core';
import { meetRoomSettings, roomSettingDefaults, roomSettings } from '@foyer/contract/resources/rooms/room-settings.ts';
import { useQuery } from '@tanstack/react-query';
import { Type } from 'typebox';
import { MapPanel } from '../../../kit/display/facts.tsx';
import { type FormField, type FormGroup, formFieldsOf } from '../../../kit/form/form-fields.ts';
import { creationBody, type FormValues } from '../../../kit/form/form-values.ts';
import { type Edit, EditForm } from '../../../kit/form/edit-form.tsx';
import { Placeholder } from '../../../kit/display/notices/notices.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { RoomRow } from '../nouns/rows.ts';

const groups: readonly FormGroup[] = [
  { title: 'Joining', fields: ['description', 'hero_image', 'featured_image', 'guest_policy', 'anyone_can_start'] },
  {
    title: 'Recording',
    fields: ['recordings_for', 'auto_start_recording', 'allow_start_stop_recording', 'notify_recording_is_on'],
  },
  {
    title: 'Appearance and welcome',
    fields: ['meeting_layout', 'welcome_message', 'moderator_only_message', 'banner_text', 'banner_color', 'logo'],
    foldedAtCreation: true,
  },
  {
    title: 'Presentation',
    fields: ['presentation_url', 'presentation_description', 'camera_as_content', 'external_videos'],
    foldedAtCreation: true,
  },
  {
    title: 'Microphones and webcams',
    fields: [
      'mute_on_start',
      'disable_mic',
      'disable_cam',
      'webcams_only_for_moderator',
      'allow_mods_to_unmute_users',
      'allow_mods_to_eject_cameras',
      'user_camera_cap',
      'meeting_camera_cap',
    ],
    foldedAtCreation: true,
  },
  {
    title: 'Chat, notes and user list',
    fields: ['disable_public_chat', 'disable_private_chat', 'disable_notes', 'hide_user_list', 'hide_viewers_cursor'],
    foldedAtCreation: true,
  },
  {
    title: 'Ending a meeting',
    fields: ['end_when_no_moderator', 'end_when_no_moderator_timeout', 'logout_url'],
    foldedAtCreation: true,
  },
];

const hints: Readonly<Record<string, string>> = {
  description: 'Shown on the page of the room.',
  hero_image: 'Shown beside the form on the room page. If empty, the customer’s image is used.',
  guest_policy: 'With “Reject guests”, guests can’t join, even if the room is public.',
  anyone_can_start: 'The first participant starts the meeting, even without a moderator.',
  recordings_for: 'On the room page. Playback links from this console work for anyone who has them.',
  presentation_url: 'A document that is loaded when the meeting starts.',
  meeting_camera_cap: '0 means no limit.',
  user_camera_cap: '0 means no limit.',
  logout_url: 'The page that opens after leaving. If empty, the page of the room.',
};

const defaults: FormValues = roomSettingDefaults;

/** Hints at recording settings that have no effect because recording is off. */
function useRecordingHints(row: RoomRow): Readonly<Record<string, string>> {
  const may = useMay();
  const result = useQuery({
    queryKey: ['readRoomFeatures', row.id],
    enabled: may('readRoomFeatures'),
    queryFn: ({ signal }) => client.readRoomFeatures({ params: { room_id: row.id }, signal }),
  });
  const recording = result.data?.data.find(({ tag }) => tag === 'recording');
  if (recording === undefined || recording.used === 'true') return {};
  const hint =
    recording.source === 'room'
      ? 'No effect now: recording is off in the features of this room.'
      : 'No effect now: the subscription does not include recording.';
  return { auto_start_recording: hint, allow_start_stop_recording: hint, notify_recording_is_on: hint };
}

function settingsOf(row: FormValues): FormValues {
  return (row.room_settings ?? {}) as FormValues;
}

function settingFields(isMeeting: boolean): FormField[] {
  return formFieldsOf(Type.Partial(Type.Object({ ...roomSettings, ...(isMeeting ? meetRoomSettings : {}) })));
}

/** Edits the settings that the contract defines, and keeps other settings that were stored through the API. */
export function RoomSettings({ row }: { readonly row: RoomRow }) {
  const may = useMay();
  const recordingHints = useRecordingHints(row);
  const stored = settingsOf(row);
  if (!may('updateRoom')) {
    return Object.keys(stored).length === 0 ? (
      <Placeholder title="Nothing is set">All settings have their default values.</Placeholder>
    ) : (
      <MapPanel title="Settings" map={stored} />
    );
  }
  const fields = settingFields(row.room_type === 'meet');
  const params = { room_id: row.id };

  async function save(values: FormValues, { row: shown, ifMatch }: Edit): Promise<void> {
    const before = settingsOf(shown);
    const fieldNames = new Set(fields.map(({ name }) => name));
    const otherSettings = Object.fromEntries(Object.entries(before).filter(([name]) => !fieldNames.has(name)));
    const chosen = Object.entries(creationBody(fields, values)).filter(
      ([name, value]) => name in before || value !== defaults[name],
    );
    const room_settings = { ...otherSettings, ...Object.fromEntries(chosen) };
    await client.updateRoom({ params, body: { room_settings }, ifMatch });
    await refreshEverything();
    showDone('The settings of the room have been saved.');
  }

  return (
    <Stack maw={760}>
      <div className="panel" style={{ overflow: 'clip' }}>
        <EditForm
          target={{ read: 'readRoom', params, fields: ['room_settings'] }}
          valuesOf={(shown) => ({ ...defaults, ...settingsOf(shown) })}
          fields={fields}
          groups={groups}
          hints={{ ...hints, ...recordingHints }}
          errorsBelow="room_settings"
          isCreation
          isDisabledUntilChanged
          submitLabel="Save settings"
          cancelLabel="Undo changes"
          onSave={save}
        />
      </div>
    </Stack>
  );
}
