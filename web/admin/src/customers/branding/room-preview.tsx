import './branding.css';
import { Group, SegmentedControl, Text } from '@mantine/core';
import { type CSSProperties, useState } from 'react';
import type { FormValues } from '../../../../kit/form/form-values.ts';
import { toText } from '../../../../kit/format/to-text.ts';
import { inkOn } from '../../../../kit/theme/ink-on.ts';

export interface Branding {
  readonly brandName: string;
  readonly logoUrl: string | null;
  readonly color: string;
  readonly heroImage: string | null;
  readonly supportUrl: string | null;
}

/** The entered branding; an inherited value replaces each empty one and an invalid color. */
export function brandingOf(values: FormValues, inherited: Branding): Branding {
  const color = toText(values['primary_color']);
  return {
    brandName: toText(values['brand_name']) || inherited.brandName,
    logoUrl: toText(values['logo_url']) || inherited.logoUrl,
    color: /^#[0-9a-f]{6}$/i.test(color) ? color : inherited.color,
    heroImage: toText(values['hero_image']) || inherited.heroImage,
    supportUrl: toText(values['support_url']) || inherited.supportUrl,
  };
}

/** The page of a room as visitors would see it. */
export function RoomPreview({
  branding,
  customerName,
}: {
  readonly branding: Branding;
  readonly customerName: string;
}) {
  const [scheme, setScheme] = useState<'light' | 'dark'>('light');
  return (
    <section aria-label="Preview of a room page">
      <Group justify="space-between" mb="xs">
        <Text fw={620}>Preview of a room page</Text>
        <SegmentedControl
          size="xs"
          aria-label="Color scheme of the preview"
          value={scheme}
          onChange={(next) => setScheme(next === 'dark' ? 'dark' : 'light')}
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
      </Group>
      <div
        className="room-preview"
        data-scheme={scheme}
        style={{ '--brand': branding.color, '--brand-ink': inkOn(branding.color) } as CSSProperties}
        aria-hidden
      >
        <div className="room-preview-head">
          {branding.logoUrl === null ? (
            <svg width="16" height="20" viewBox="0 0 16 20">
              <path d="M0 20V8a8 8 0 0 1 16 0v12h-4V8a4 4 0 0 0-8 0v12Z" fill="currentColor" />
            </svg>
          ) : (
            <Picture key={branding.logoUrl} src={branding.logoUrl} className="room-preview-logo" />
          )}
          <strong>{branding.brandName}</strong>
        </div>
        <div className="room-preview-card">
          <div className="room-preview-hero">
            {branding.heroImage === null ? <span /> : <Picture key={branding.heroImage} src={branding.heroImage} />}
          </div>
          <div className="room-preview-body">
            <em>Meeting in progress</em>
            <small>{customerName} invites you to</small>
            <b>Weekly meeting</b>
            <i />
            <span className="room-preview-button">Join</span>
            {branding.supportUrl !== null && <u>Help</u>}
          </div>
        </div>
      </div>
    </section>
  );
}

/** An image; if it cannot be loaded, a text says so. The room page leaves its space empty. */
function Picture({ src, className }: { readonly src: string; readonly className?: string }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <span className="room-preview-broken">No image at this address</span>;
  return <img src={src} alt="" className={className} onError={() => setBroken(true)} />;
}
