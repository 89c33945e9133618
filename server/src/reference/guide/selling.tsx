/** @jsxImportSource preact */
import { Link, LinkedCodes } from '../reference-context.tsx';
import { ShellSample } from '../sample.tsx';
import type { GuidePage } from './guide-page.tsx';

export function selling(): GuidePage {
  return {
    slug: 'selling',
    title: 'Selling',
    lead: 'Subscriptions seen before they are made, moved to other packages, handed down by resellers, and reported.',
    topics: [
      {
        id: 'previews',
        title: 'See it first',
        words: 'preview subscribe price trial renewal cancel',
        said: (
          <p>
            A preview answers with what would be, stores nothing, and refuses what would be refused: of{' '}
            <Link to="previewNewSubscription">a new subscription</Link>, of{' '}
            <Link to="previewSubscription">a renewal or a cancellation</Link>, and of{' '}
            <Link to="previewPackageChange">another package</Link>. <code>$PACKAGE</code> and <code>$CUSTOMER</code> are
            the ids of a package that is sold and of a customer, from <code>/service-packages</code> and{' '}
            <code>/customers</code>.
          </p>
        ),
        samples: (
          <ShellSample
            title="Preview, then subscribe"
            lines={`
curl $FOYER/api/v1/subscriptions/preview \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d "{\\"package_id\\": \\"$PACKAGE\\", \\"subscriber_id\\": \\"$CUSTOMER\\"}"

curl $FOYER/api/v1/subscriptions \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d "{\\"package_id\\": \\"$PACKAGE\\", \\"subscriber_id\\": \\"$CUSTOMER\\"}"

SUBSCRIPTION=sub_…`}
          />
        ),
      },
      {
        id: 'package-changes',
        title: 'Move to another package',
        words: 'upgrade downgrade change package schedule withdraw',
        said: (
          <p>
            An upgrade is done now, a downgrade at the end of the period, unless <code>when</code> says otherwise. The
            period under way keeps its dates. While more is used than the new package allows, it is refused with the
            figures: <LinkedCodes words={['package-limits-exceeded']} />. One that is scheduled can be withdrawn.
          </p>
        ),
        samples: (
          <ShellSample
            title="Preview a move, and schedule it"
            lines={`
curl $FOYER/api/v1/subscriptions/$SUBSCRIPTION/change-package/preview \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d "{\\"package_id\\": \\"$OTHER_PACKAGE\\"}"

curl $FOYER/api/v1/subscriptions/$SUBSCRIPTION/change-package \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d "{\\"package_id\\": \\"$OTHER_PACKAGE\\", \\"when\\": \\"period_end\\"}"

curl $FOYER/api/v1/subscriptions/$SUBSCRIPTION/package-changes \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'handing-down',
        title: 'Resellers, and what they hand down',
        words: 'reseller tree parent_customer_id branch hand down set aside parent_subscription_id',
        said: (
          <>
            <p>
              A customer with <code>is_reseller</code> has customers below it, by their <code>parent_customer_id</code>.
              Its people see its whole branch, and set the prices there; they hand down of the reseller's own
              subscription to the same package.
            </p>
            <p>
              What is handed down is set aside in the subscription above, so that no more is used than was sold; beyond
              what is left: <LinkedCodes words={['feature-limit-reached']} />. It comes back when the subscription below
              is deleted; minutes are charged to every subscription above when they are spent, and stay so.{' '}
              <code>$RESELLER_TOKEN</code> is of a login of one of its people.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="A reseller subscribes a customer below it"
            lines={`
curl $FOYER/api/v1/subscriptions \\
  -H "Authorization: Bearer $RESELLER_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d "{
    \\"package_id\\": \\"$PACKAGE\\",
    \\"subscriber_id\\": \\"$CUSTOMER_BELOW\\",
    \\"features\\": {\\"max_rooms\\": 4}
  }"`}
          />
        ),
      },
      {
        id: 'selling-reports',
        title: 'Report what was used and sold',
        words: 'report usage revenue monthly recurring value csv',
        said: (
          <p>
            <Link to="readUsageReport">Usage</Link> and <Link to="readSubscriptionsReport">subscriptions</Link>, by day
            or month of any time zone, as JSON or CSV. Each price counts once, for whoever sold it: administrators see
            what the platform sold, a reseller's people what it handed down. A few reports run at once, one per user:{' '}
            <LinkedCodes words={['busy']} />.
          </p>
        ),
        samples: (
          <ShellSample
            title="Minutes by customer and month; value by month"
            lines={`
curl "$FOYER/api/v1/reports/usage?by=month&group_by=customer&from=2026-01-01&format=csv" \\
  -H "Authorization: Bearer $TOKEN"

curl "$FOYER/api/v1/reports/subscriptions?by=month&timezone=Asia/Kolkata" \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
    ],
  };
}
