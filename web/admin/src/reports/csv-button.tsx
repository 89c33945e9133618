import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { CsvName, EndpointInput } from '@foyer/sdk';
import { useState } from 'react';
import { showFailure } from '../../../kit/display/notices/toasts.ts';
import { client } from '../../../kit/api/client.ts';

interface Props<Name extends CsvName> {
  readonly report: Name;
  readonly query: EndpointInput<Name>['query'];
}

/** Saves the report as CSV under the name that the server sends. */
export function CsvButton<Name extends CsvName>({ report, query }: Props<Name>) {
  const [isBusy, setBusy] = useState(false);

  async function download(): Promise<void> {
    setBusy(true);
    try {
      const { fileName, body } = await client.csv(report, { query } as never);
      const url = URL.createObjectURL(await new Response(body).blob());
      const link = Object.assign(document.createElement('a'), { href: url, download: fileName ?? 'report.csv' });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={isBusy} onClick={() => void download()}>
      Download CSV
    </Button>
  );
}
