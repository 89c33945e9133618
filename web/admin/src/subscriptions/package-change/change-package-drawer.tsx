import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { versionOfListRow } from '../../../../kit/concurrency/edit-conflict.ts';
import { writeIfUnchanged } from '../../../../kit/concurrency/write-if-unchanged.ts';
import { SelectOnEnter } from '../../../../kit/form/select-on-enter.tsx';
import { formatDay } from '../../../../kit/format/instants.ts';
import { formatMoney } from '../../../../kit/format/money.ts';
import { searchQuery } from '../../../../kit/list/search.ts';
import { LoadingNotice, RefusalAlert } from '../../../../kit/display/notices/notices.tsx';
import { SideDrawer } from '../../../../kit/dialog/side-drawer.tsx';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../../kit/api/client.ts';
import { termsTarget } from '../terms-target.ts';
import type { SubscriptionRow } from '../../nouns/rows.ts';
import { type ChangeTiming, ChangePreview } from './package-change-preview.tsx';

/** Changes the package of a subscription after a preview. */
export function ChangePackageDrawer({ row, onClose }: { readonly row: SubscriptionRow; readonly onClose: () => void }) {
  const [packageId, setPackageId] = useState<string | null>(null);
  const [when, setWhen] = useState<ChangeTiming | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const params = { subscription_id: row.id };
  const body = { package_id: packageId ?? '', ...(when === null ? {} : { when }) };
  const packages = useQuery({
    queryKey: ['listServicePackages', 'sold'],
    queryFn: ({ signal }) =>
      client.listServicePackages({
        query: {
          ...searchQuery('', { status: 'active', retired: 'false' }),
          limit: 0,
          orderBy: 'tier,name',
          sortedBy: 'asc,asc',
        },
        signal,
      }),
  });
  const result = useQuery({
    queryKey: ['previewPackageChange', row.id, body],
    enabled: packageId !== null,
    retry: false,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.previewPackageChange({ params, body, signal }),
  });
  const preview = packageId !== null && !result.error ? (result.data?.data ?? null) : null;
  const otherPackages = (packages.data?.data ?? []).filter(({ id }) => id !== row.package_id);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (preview === null) return;
    setBusy(true);
    setFailure(null);
    try {
      await writeIfUnchanged(termsTarget(row.id), versionOfListRow(row), (ifMatch) =>
        client.changePackage({ params, body: { package_id: preview.to.package_id, when: preview.when }, ifMatch }),
      );
      // Closed first: a preview for the current package would fail.
      onClose();
      await refreshEverything();
      showDone(
        preview.when === 'now'
          ? `The package is now ${preview.to.name}.`
          : `The package changes to ${preview.to.name} on ${formatDay(preview.effective_at)}.`,
      );
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  }

  return (
    <SideDrawer title="Change the package" isOpen onClose={onClose} size={620}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack p="xl" pt="lg" gap="lg">
          <RefusalAlert error={failure ?? (packageId === null ? null : result.error)} />
          <SelectOnEnter>
            <Select
              label="New package"
              required
              searchable
              data-autofocus
              placeholder="Choose a package"
              nothingFoundMessage="No other package is sold"
              allowDeselect={false}
              value={packageId}
              data={otherPackages.map(({ id, name }) => ({ value: id, label: name }))}
              renderOption={({ option }) => {
                const servicePackage = otherPackages.find(({ id }) => id === option.value);
                return (
                  <Group justify="space-between" wrap="nowrap" w="100%" gap="xs">
                    <Text truncate fz="sm">
                      {option.label}
                    </Text>
                    <Text c="dimmed" fz="xs" style={{ flexShrink: 0 }}>
                      {servicePackage &&
                        `${formatMoney(servicePackage.price, servicePackage.currency)}${servicePackage.tier === null ? '' : ` · tier ${servicePackage.tier}`}`}
                    </Text>
                  </Group>
                );
              }}
              onChange={(next) => {
                setPackageId(next);
                setWhen(null);
                setFailure(null);
              }}
            />
          </SelectOnEnter>
          {packageId !== null && !result.error && preview === null && <LoadingNotice />}
          {preview && <ChangePreview preview={preview} onTimingChange={setWhen} row={row} />}
        </Stack>
        <Group className="form-foot" justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={preview === null || (preview.when === 'now' && !preview.allowed)}
          >
            {preview?.when === 'period_end' ? 'Schedule change' : 'Change now'}
          </Button>
        </Group>
      </form>
    </SideDrawer>
  );
}
