import {
  IconAlertTriangle,
  IconArrowsExchange,
  IconBolt,
  IconCheck,
  IconKey,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlus,
  IconRefresh,
  IconTrash,
  IconUserMinus,
  IconUserPlus,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';

type Icon = ComponentType<{ size?: number; stroke?: number }>;
type Tone = 'good' | 'bad' | 'plain';

/** The first pattern that matches the name of the event applies. */
const iconRules: readonly (readonly [pattern: RegExp, icon: Icon, tone: Tone])[] = [
  [/_user\.created$|^invitation\.(created|accepted)$|participant\.joined$/, IconUserPlus, 'good'],
  [/_user\.deleted$|participant\.left$/, IconUserMinus, 'plain'],
  [
    /\.(down|failed|disabled|limit_reached|expiring|sign_ins_throttled|escalation_refused)$|_failed$/,
    IconAlertTriangle,
    'bad',
  ],
  [/\.(suspended|canceled)$/, IconPlayerStop, 'bad'],
  [/\.deleted$|\.withdrawn$/, IconTrash, 'bad'],
  [/\.created$/, IconPlus, 'good'],
  [/\.(renewed|uncanceled|features_synced|resumed)$/, IconRefresh, 'good'],
  [/\.(up|ready|published|recovered|done)$/, IconCheck, 'good'],
  [/\.started$/, IconPlayerPlay, 'good'],
  [/\.(ended|end_requested)$/, IconPlayerStop, 'plain'],
  [/\.transferred$|owner_changed$|package_change/, IconArrowsExchange, 'plain'],
  [/logged_in$|^oauth_token|two_factor|recovery_code|password|secret|key/, IconKey, 'plain'],
  [/\.updated$|_changed$/, IconPencil, 'plain'],
];

export function EventIcon({ name }: { readonly name: string }) {
  const [, Glyph, tone] = iconRules.find(([pattern]) => pattern.test(name)) ?? [null, IconBolt, 'plain' as const];
  return (
    <span className="event-icon" data-tone={tone} aria-hidden>
      <Glyph size={15} stroke={1.8} />
    </span>
  );
}
