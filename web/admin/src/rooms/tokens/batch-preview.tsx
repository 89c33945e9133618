import { counted } from '../../../../kit/format/counted.ts';
import { Alert, Table, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { withFieldLabels } from '../../../../kit/format/sentences.ts';
import { type BatchRow, hasFaults, rowSentences } from './batch-rows.ts';

const shownRows = 50;

/** The parsed rows; if any have errors, only those. */
export function Preview(props: {
  readonly problem: string | null;
  readonly columns: readonly string[];
  readonly rows: readonly BatchRow[];
}) {
  const { problem, columns, rows } = props;
  if (problem !== null) {
    return (
      <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
        {withFieldLabels(problem)}
      </Alert>
    );
  }
  const faulty = rows.filter(hasFaults);
  const listed = faulty.length > 0 ? faulty : rows;
  const previewRows = listed.slice(0, shownRows);
  return (
    <section className="panel" aria-label="Preview">
      <Text className="line" role="status" fw={540} {...(faulty.length > 0 ? { c: 'red' } : {})}>
        {faulty.length === 0
          ? `${counted(rows.length, 'row')} read, no errors.${pastText(rows)}`
          : `${faulty.length.toLocaleString('en-GB')} of ${counted(rows.length, 'row')} contain errors. Lines are numbered as in a spreadsheet: line 1 has the column names.`}
      </Text>
      <div
        className="scroll-x"
        style={{ maxHeight: 320, overflowY: 'auto' }}
        tabIndex={0}
        role="group"
        aria-label="Rows"
      >
        <Table className="list" data-static>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={64} pl={18}>
                Line
              </Table.Th>
              {columns.map((column) => (
                <Table.Th key={column}>{column}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {previewRows.map((row) => (
              <Table.Tr key={row.line}>
                <Table.Td c="dimmed" pl={18}>
                  <Text span inherit hiddenFrom="sm">
                    Line{' '}
                  </Text>
                  {row.line}
                  {rowSentences(row, columns).map((sentence) => (
                    <Text key={sentence} fz="xs" c="red" style={{ minWidth: 130, whiteSpace: 'normal' }}>
                      {withFieldLabels(sentence)}
                    </Text>
                  ))}
                </Table.Td>
                {columns.map((column) => (
                  <Table.Td key={column} data-label={column}>
                    <PreviewCell text={row.cells[column] ?? ''} fault={row.faults[column]} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {listed.length > shownRows && (
        <Text className="line" c="dimmed" fz="sm">
          And {(listed.length - shownRows).toLocaleString('en-GB')} more.
        </Text>
      )}
    </section>
  );
}

/** Warns about rows that have already expired; they are accepted. */
function pastText(rows: readonly BatchRow[]): string {
  const past = rows.filter(({ cells }) => Date.parse(cells['expires_at'] ?? '') <= Date.now());
  return past.length === 0 ? '' : ` ${counted(past.length, 'row')} would already be expired.`;
}

function PreviewCell({ text, fault }: { readonly text: string; readonly fault: string | undefined }) {
  if (fault === undefined) return <>{text}</>;
  return (
    <div style={{ minWidth: 130, whiteSpace: 'normal' }}>
      <Text inherit c="red" fw={560}>
        {text === '' ? 'empty' : text}
      </Text>
      <Text fz="xs" c="red">
        {withFieldLabels(fault)}
      </Text>
    </div>
  );
}
