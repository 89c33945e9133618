/** The texts of the page, in its language. */
export interface Texts {
  readonly choose: string;
  readonly pause: string;
  readonly resume: string;
  readonly retry: string;
  readonly cancel: string;
  readonly hide: string;
  readonly continueUpload: string;
  readonly progress: string;
  readonly waiting: string;
  readonly paused: string;
  readonly amount: string;
  readonly minutesLeft: string;
  readonly nearlyDone: string;
  readonly done: string;
  readonly interrupted: string;
  readonly differentFile: string;
  readonly problems: Readonly<Record<string, string>> & { readonly failed: string };
}

export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

const units = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Such as "1.5 GB" in the language of the page. */
export function bytesText(bytes: number): string {
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const unit = units[power - 1] ?? 'kilobyte';
  const digits = { maximumFractionDigits: 1 };
  return new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit, ...digits }).format(
    bytes / 1000 ** power,
  );
}

/** The sentence for a code of the platform. @param limitName of the limit that is reached */
export function problemOf(texts: Texts, code: string, limitName: string | null): string {
  const name = limitName ?? problemNames[code] ?? 'failed';
  return texts.problems[name] ?? texts.problems.failed;
}

const problemNames: Readonly<Record<string, string>> = {
  unauthenticated: 'unauthenticated',
  forbidden: 'closed',
  'not-found': 'closed',
  'room-inactive': 'closed',
  'account-inactive': 'closed',
  'customer-not-active': 'closed',
  'subscription-not-usable': 'closed',
  'no-usable-provider': 'provider',
  'provider-unavailable': 'provider',
  'validation-failed': 'content',
};

/** The sentence for an answer of the media server; without one, `status` is undefined. */
export function refusalText({ problems }: Texts, status: number | undefined): string {
  const name = status === undefined ? 'offline' : status === 404 || status === 410 ? 'expired' : 'refused';
  return problems[status === 507 ? 'noSpace' : name] ?? problems.failed;
}
