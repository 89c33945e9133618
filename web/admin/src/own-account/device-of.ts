import Bowser from 'bowser';

export interface Device {
  readonly name: string;
  readonly isPhone: boolean;
}

/** "Firefox on Windows", or the product name of other programs. */
export function deviceOf(userAgent: string | null): Device {
  if (userAgent === null || userAgent.trim() === '') return { name: 'Unknown device', isPhone: false };
  const { browser, os, platform } = Bowser.parse(userAgent);
  const isPhone = platform.type === 'mobile' || platform.type === 'tablet';
  if (browser.name && os.name) return { name: `${browser.name} on ${os.name}`, isPhone };
  return { name: browser.name || (userAgent.split(/[/\s]/, 1)[0] ?? userAgent), isPhone };
}
