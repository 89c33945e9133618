import './webhooks.css';
import { Accordion, Checkbox, Input, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { InputProps } from '../../../kit/form/form-fields.ts';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import {
  type EventGroup,
  allEvents,
  isSubscribed,
  matchingGroups,
  withoutPattern,
  withPattern,
} from './event-patterns.ts';
import { useEventGroups } from './use-event-types.ts';

/** The events of a webhook: all, those of a kind of resource, or single ones. */
export function EventsField({ field, value, faults, onChange }: InputProps) {
  const patterns = Array.isArray(value) ? value.map(String) : [];
  const isAll = patterns.includes(allEvents);
  const toggle = (pattern: string, isOn: boolean) =>
    onChange(isOn ? withPattern(patterns, pattern) : withoutPattern(patterns, pattern));
  const error = faults[''] ?? Object.values(faults)[0] ?? null;
  return (
    <Input.Wrapper
      label={field.label}
      labelElement="div"
      description={field.description}
      required={field.required}
      error={error}
      errorProps={{ role: 'alert' }}
    >
      <Stack gap="sm" mt={8} role="group" aria-label={field.label}>
        <Switch
          label="All events"
          description="Including those that later versions add."
          checked={isAll}
          aria-invalid={error !== null || undefined}
          onChange={(event) => toggle(allEvents, event.currentTarget.checked)}
        />
        {!isAll && <Groups patterns={patterns} onToggle={toggle} />}
      </Stack>
    </Input.Wrapper>
  );
}

interface ChoiceProps {
  readonly patterns: readonly string[];
  readonly onToggle: (pattern: string, isOn: boolean) => void;
}

function Groups({ patterns, onToggle }: ChoiceProps) {
  const groups = useEventGroups();
  const [searchText, setSearchText] = useState('');
  const [opened, setOpened] = useState<string[]>([]);
  if (groups.error) return <FailureNotice error={groups.error} onRetry={() => void groups.refetch()} />;
  if (!groups.data) return <LoadingNotice />;
  const isSearching = searchText.trim() !== '';
  const matching = matchingGroups(groups.data, searchText);
  return (
    <>
      <TextInput
        type="search"
        aria-label="Find an event"
        placeholder="Find an event"
        leftSection={<IconSearch size={16} stroke={1.7} />}
        value={searchText}
        onChange={(event) => setSearchText(event.currentTarget.value)}
      />
      {matching.length === 0 && (
        <Text c="dimmed" fz="sm">
          No events found.
        </Text>
      )}
      <Accordion
        className="event-groups"
        multiple
        variant="contained"
        value={isSearching ? matching.map(({ pattern }) => keyOf(pattern)) : opened}
        onChange={(next) => {
          if (!isSearching) setOpened(next);
        }}
      >
        {matching.map((group) => (
          <Accordion.Item key={group.pattern} value={keyOf(group.pattern)}>
            <Accordion.Control>
              <span className="event-group">
                {group.title}
                <ChosenCount
                  group={groups.data.find(({ pattern }) => pattern === group.pattern) ?? group}
                  patterns={patterns}
                />
              </span>
            </Accordion.Control>
            <Accordion.Panel>
              <GroupChoices group={group} patterns={patterns} onToggle={onToggle} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </>
  );
}

function ChosenCount({ group, patterns }: { readonly group: EventGroup; readonly patterns: readonly string[] }) {
  const count = group.types.filter(({ name }) => patterns.includes(name)).length;
  const isWhole = patterns.includes(group.pattern);
  if (count === 0 && !isWhole) return null;
  return (
    <Text component="span" fz="sm" className="event-count">
      {isWhole ? 'All' : `${count} of ${group.types.length}`}
    </Text>
  );
}

function GroupChoices({ group, patterns, onToggle }: ChoiceProps & { readonly group: EventGroup }) {
  const isWhole = patterns.includes(group.pattern);
  return (
    <Stack gap={10}>
      <Checkbox
        label={group.pattern}
        description="All events of this kind, including those that later versions add."
        checked={isWhole}
        onChange={(event) => onToggle(group.pattern, event.currentTarget.checked)}
      />
      {group.types.map(({ name, description }) => (
        <Checkbox
          key={name}
          label={name}
          description={description.replaceAll('`', '')}
          checked={isSubscribed(patterns, name)}
          disabled={isWhole}
          onChange={(event) => onToggle(name, event.currentTarget.checked)}
        />
      ))}
    </Stack>
  );
}

/** The value of an accordion item becomes part of an HTML id, so the wildcard is removed. */
function keyOf(pattern: string): string {
  return pattern.replace('.*', '');
}
