import { phraseOf } from '../../../kit/format/label.ts';

export interface EventType {
  readonly name: string;
  readonly description: string;
}

/** The events of one kind of resource. */
export interface EventGroup {
  /** Such as `room.*`. */
  readonly pattern: string;
  readonly title: string;
  readonly types: readonly EventType[];
}

export const allEvents = '*';

/** Groups event types by kind of resource, in the order of the titles. */
export function eventGroups(types: readonly EventType[]): EventGroup[] {
  const byPattern = new Map<string, EventType[]>();
  for (const type of types) {
    const pattern = patternOf(type.name);
    byPattern.set(pattern, [...(byPattern.get(pattern) ?? []), type]);
  }
  return [...byPattern]
    .map(([pattern, groupTypes]) => ({ pattern, title: titleOf(pattern), types: groupTypes }))
    .toSorted((one, other) => one.title.localeCompare(other.title, 'en'));
}

/** The groups with the events whose name, group or description contains the text. */
export function matchingGroups(groups: readonly EventGroup[], text: string): EventGroup[] {
  const searchText = text.trim().toLowerCase();
  return groups
    .map((group) => ({
      ...group,
      types: group.types.filter((type) =>
        [type.name, group.title, type.description].some((words) => words.toLowerCase().includes(searchText)),
      ),
    }))
    .filter(({ types }) => types.length > 0);
}

/** Whether the patterns include the event. */
export function isSubscribed(patterns: readonly string[], name: string): boolean {
  return [allEvents, patternOf(name), name].some((pattern) => patterns.includes(pattern));
}

/** Adds a pattern. A group replaces its single events, and `*` replaces all patterns. */
export function withPattern(patterns: readonly string[], pattern: string): string[] {
  if (pattern === allEvents) return [allEvents];
  const otherPatterns = patterns.filter((other) => other !== pattern && !isWithin(other, pattern));
  return [...otherPatterns, pattern];
}

export function withoutPattern(patterns: readonly string[], pattern: string): string[] {
  return patterns.filter((other) => other !== pattern);
}

/** "All events", "Room: all"; the name itself for a single event. */
export function patternPhrase(pattern: string): string {
  if (pattern === allEvents) return 'All events';
  return pattern.endsWith('.*') ? `${titleOf(pattern)}: all` : pattern;
}

function isWithin(pattern: string, group: string): boolean {
  return group.endsWith('.*') && patternOf(pattern) === group;
}

function patternOf(name: string): string {
  return `${name.slice(0, name.indexOf('.'))}.*`;
}

function titleOf(pattern: string): string {
  return phraseOf(pattern.slice(0, -2));
}
