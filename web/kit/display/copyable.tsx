import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** A text that a click copies; `shown` is displayed instead if the text is long. */
export function Copyable(props: {
  readonly value: string;
  readonly shown?: string;
  readonly label: string;
  readonly plain?: boolean;
}) {
  return (
    <Group gap={2} wrap="nowrap" component="span" display="inline-flex" maw="100%">
      <Text
        component="span"
        inherit
        truncate
        title={props.value}
        {...(props.plain ? {} : { ff: 'monospace', fz: '0.92em' })}
      >
        {props.shown ?? props.value}
      </Text>
      <CopyAction value={props.value} label={props.label} />
    </Group>
  );
}

export function CopyAction({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <CopyButton value={value} timeout={1600}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
          <ActionIcon
            variant="subtle"
            size={24}
            color={copied ? 'pine' : 'gray'}
            aria-label={copied ? 'Copied' : `Copy ${label}`}
            onClick={(event) => {
              event.stopPropagation();
              copy();
            }}
          >
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
