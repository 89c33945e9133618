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
            <code>/customers</code>; <code>$SUBSCRIPTION</code>, on this page, is the <code>id</code> that the second
            call answers with. Set them first, as in <code>PACKAGE=pkg_01…</code>, each with your own id.
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
  -d "{\\"package_id\\": \\"$PACKAGE\\", \\"subscriber_id\\": \\"$CUSTOMER\\"}"`}
          />
        ),
      },
      {
        id: 'trial-and-grace',
        title: 'Trial, period and grace',
        words: 'trial_mode trial_ends_at starts_at ends_at grace last_day_of_use is_usable expiring_within near_limit',
        said: (
          <>
            <p>
              The first paid period begins where the trial ends (<code>trial_mode</code> <code>outside</code>) or beside
              it (<code>inside</code>). <code>ends_at</code> is the last day of the paid period; it can be used through
              its grace, up to <code>last_day_of_use</code>, and is <code>suspended</code> after that.{' '}
              <code>is_usable</code> says whether it can be used today, and <code>unusable_because</code> what keeps it
              from that: itself, the reseller's subscription above it, or the customer.
            </p>
            <p>
              <Link to="listSubscriptions">The list</Link> narrowed by <code>expiring_within</code> has those that end
              within so many days: with their cancellation, else with the period or the trial, whichever is later;
              narrowed by <code>near_limit</code> it has those that have used up so many percent of a limit that is
              counted.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="What ends within thirty days"
            lines={`
curl "$FOYER/api/v1/subscriptions?expiring_within=30&orderBy=last_day_of_use&sortedBy=asc" \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'renewing',
        title: 'Renew, cancel, and take it back',
        words: 'renew automatic billing cycles cancel cancel_now uncancel take back figures amount',
        said: (
          <>
            <p>
              Nothing renews by itself: your billing calls it, or somebody in the console, before the last day of use.{' '}
              <Link to="renewSubscription">Renewing</Link> adds <code>cycles</code> periods: to the end while it runs or
              in grace, from today after that. Its preview tells under <code>meta.custom.figures</code> what that costs,
              with the price of the package that comes before, where a change is scheduled.
            </p>
            <p>
              <Link to="cancelSubscription">Canceling</Link> ends it with the present period (with the trial, while on
              trial), or at once with <code>cancel_now</code>; a package change that is scheduled is withdrawn. Until it
              has taken effect, it is <Link to="uncancelSubscription">taken back</Link> free of charge, with the dates
              as they were; after that a renewal with <code>uncancel</code> makes it go on.
            </p>
          </>
        ),
        samples: (
          <ShellSample
            title="What three more periods cost; cancel, and take it back"
            lines={`
curl $FOYER/api/v1/subscriptions/$SUBSCRIPTION/preview \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"renew": true, "cycles": 3}'

curl $FOYER/api/v1/subscriptions/$SUBSCRIPTION/cancel \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"cancel": true}'

curl -X POST $FOYER/api/v1/subscriptions/$SUBSCRIPTION/uncancel \\
  -H "Authorization: Bearer $TOKEN"`}
          />
        ),
      },
      {
        id: 'suspending',
        title: 'Suspend and end',
        words: 'suspend inactive terminated status held_by_platform allowed_moves',
        said: (
          <p>
            Setting the <code>status</code> of a subscription to <code>suspended</code> or <code>inactive</code> takes
            it and all that was handed down of it out of use until it is <code>active</code> again; only an{' '}
            <code>inactive</code> one is deleted, with its rooms. What administrators take out of use or cancel is held:
            those who sell above neither lift nor change it (<LinkedCodes words={['held-by-platform']} />
            ). A refusal names under <code>errors.allowed_moves</code> what can be done instead. A customer that is
            suspended uses what it has and gets nothing new.
          </p>
        ),
        samples: (
          <ShellSample
            title="Suspend, and go on"
            lines={`
curl -X PATCH $FOYER/api/v1/subscriptions/$SUBSCRIPTION \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"status": "suspended"}'

curl -X PATCH $FOYER/api/v1/subscriptions/$SUBSCRIPTION \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"status": "active"}'`}
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
            figures: <LinkedCodes words={['package-limits-exceeded']} />. One that is scheduled can be withdrawn.{' '}
            <code>$OTHER_PACKAGE</code> is the id of the package to move to, in the same currency and for the same kind
            of service.
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
              <code>$RESELLER_TOKEN</code> is of a login of one of its people, <code>$CUSTOMER_BELOW</code> the id of a
              customer below it. People of customers have no console: they, and what you build for them, use this API.
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
            what the platform sold, a reseller's people what it handed down. <code>meta.counted</code> says which. A few
            reports run at once, one per user and two per customer: <LinkedCodes words={['busy']} />.
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
