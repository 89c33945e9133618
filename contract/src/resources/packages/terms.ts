import { boolean, integer, money, oneOf, text } from '../../conventions/field.ts';

export const intervals = ['day', 'week', 'month', 'year'] as const;

/** Price and billing period, of packages and subscriptions. */
export const terms = {
  price: money(),
  currency: text(3, { format: 'currency' }),
  periodicity: integer(1, 1000),
  periodicity_type: oneOf(intervals),
  trial_period: integer(0, 1000),
  trial_interval: oneOf(intervals),
  grace_period: integer(0, 1000),
  grace_interval: oneOf(intervals),
};

export const autoRenew = boolean(
  'Whether subscriptions renew automatically: by one period on the day after `ends_at`, unless they are canceled.',
);

export const trialMode = oneOf(
  ['outside', 'inside'],
  'Whether the first paid period begins after the trial (`outside`) or together with it.',
);
