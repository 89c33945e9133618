import { Group, Input, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconGitMerge } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { type ChangedField, keyOfPath, type Side } from './merge.ts';
import './merge-panel.css';

interface Props {
  readonly changed: readonly ChangedField[];
  readonly choices: Readonly<Record<string, Side>>;
  /** Whether to mark the fields for which no side is chosen. */
  readonly isAsking: boolean;
  readonly labelOf: (path: readonly string[]) => string;
  readonly valueOf: (path: readonly string[], value: unknown) => ReactNode;
  readonly onChoose: (field: ChangedField, side: Side) => void;
}

/** Changes that another person saved while the form was open: before, theirs and mine, with a choice for each field. */
export function MergePanel({ changed, choices, isAsking, labelOf, valueOf, onChoose }: Props) {
  const panel = useRef<HTMLElement>(null);
  const titleId = useId();
  const hasConflict = changed.some(({ isConflict }) => isConflict);
  useEffect(() => {
    panel.current?.scrollIntoView({ block: 'start' });
    panel.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section ref={panel} className="merge" role="alert" aria-labelledby={titleId} tabIndex={-1}>
      <Group gap={10} wrap="nowrap" align="flex-start">
        <IconGitMerge size={20} stroke={1.7} aria-hidden style={{ flexShrink: 0, marginTop: 1 }} />
        <div>
          <Text id={titleId} fw={620}>
            Someone else saved changes while you were editing
          </Text>
          <Text fz="sm" mt={2}>
            Your changes are not saved yet.{' '}
            {hasConflict
              ? 'Choose which value to keep, then save again.'
              : 'Their changes are included below. Check them, then save again.'}
          </Text>
        </div>
      </Group>
      <Stack gap="md" mt="md">
        {changed.map((field) => (
          <FieldChoice
            key={keyOfPath(field.path)}
            field={field}
            label={labelOf(field.path)}
            choice={choices[keyOfPath(field.path)] ?? null}
            isAsking={isAsking}
            show={(value) => valueOf(field.path, value)}
            onChoose={(side) => onChoose(field, side)}
          />
        ))}
      </Stack>
    </section>
  );
}

function FieldChoice(props: {
  readonly field: ChangedField;
  readonly label: string;
  readonly choice: Side | null;
  readonly isAsking: boolean;
  readonly show: (value: unknown) => ReactNode;
  readonly onChoose: (side: Side) => void;
}) {
  const { field, label, choice, show } = props;
  const isMissing = props.isAsking && choice === null;
  return (
    <Radio.Group
      value={choice}
      onChange={(side) => props.onChoose(side === 'theirs' ? 'theirs' : 'mine')}
      label={label}
      description={
        <>
          {field.isConflict ? 'You both changed this. ' : 'Only they changed this. '}
          Before: {show(field.before)}
        </>
      }
      error={isMissing ? 'Choose a value.' : null}
      classNames={{ description: 'merge-before' }}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8} mt={8}>
        <SideCard side="theirs" title="Use theirs" isMissing={isMissing}>
          {show(field.theirs)}
        </SideCard>
        <SideCard side="mine" title={field.isConflict ? 'Keep mine' : 'Keep the previous value'} isMissing={isMissing}>
          {show(field.mine)}
        </SideCard>
      </SimpleGrid>
    </Radio.Group>
  );
}

function SideCard(props: {
  readonly side: Side;
  readonly title: string;
  readonly isMissing: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Radio.Card value={props.side} className="merge-side" aria-invalid={props.isMissing || undefined}>
      <Group gap={10} wrap="nowrap" align="flex-start">
        <Radio.Indicator mt={2} />
        <div className="merge-value">
          <Input.Label component="span" fz="xs">
            {props.title}
          </Input.Label>
          <div>{props.children}</div>
        </div>
      </Group>
    </Radio.Card>
  );
}
