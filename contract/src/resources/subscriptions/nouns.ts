import { crudEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  subscription: {
    object: 'ServicePackageSubscription',
    prefix: 'sub',
    permissions: {
      subscriptions: {
        read: [],
        create: ['read-service-packages', 'read-customers'],
        update: [],
        delete: [],
        renew: [],
        cancel: [],
      },
    },
    events: {
      ...crudEvents('subscription'),
      renewed: 'A subscription was renewed. `automatic` tells whether the platform did it.',
      canceled: 'A subscription was canceled.',
      uncanceled: 'The cancellation of a subscription was withdrawn.',
      suspended: 'A subscription was suspended.',
      expiring: 'A subscription ends in `days_left` days: 14, 3 or 1.',
      limit_reached:
        'A request was rejected because a limit is reached: `feature` has its `tag`, its `limit` and how much is `used`. At most once an hour for each feature.',
      usage_reconciled: 'The counted usage of a subscription was corrected.',
      features_synced: 'The features of a subscription were copied from its package again.',
      package_changed: 'A subscription was changed to another package.',
      package_change_scheduled: 'A subscription will be changed to another package on a later day.',
      package_change_withdrawn: 'A scheduled package change was withdrawn.',
      package_change_failed: 'A scheduled package change failed.',
    },
  },
  subscription_feature: {
    object: 'ServicePackageSubscriptionFeature',
    prefix: 'subfeat',
    permissions: { 'subscriptions-features': { manage: ['read-subscriptions'] } },
    events: crudEvents('feature of a subscription'),
  },
  subscription_provider: {
    object: 'ServicePackageProvider',
    prefix: 'subprov',
    permissions: { 'subscriptions-providers': { manage: ['read-subscriptions'] } },
    events: crudEvents('provider of a subscription'),
  },
  subscription_usage: { object: 'SubscriptionUsage', prefix: 'usage' },
  subscription_package_change: {
    object: 'SubscriptionPackageChange',
    prefix: 'subchange',
    events: crudEvents('package change of a subscription'),
  },
} as const satisfies Nouns;

export const tags: Tags = {
  Subscriptions: 'What a customer has bought: terms, features with their usage, and providers.',
};
