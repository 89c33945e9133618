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

export const everything = '*';

/** By kind of resource, in the order of their names. */
export function eventGroups(types: readonly EventType[]): EventGroup[] {
  const byPattern = new Map<string, EventType[]>();
  for (const type of types) {
    const pattern = patternOf(type.name);
    byPattern.set(pattern, [...(byPattern.get(pattern) ?? []), type]);
  }
  return [...byPattern]
    .map(([pattern, ofGroup]) => ({ pattern, title: titleOf(pattern), types: ofGroup }))
    .toSorted((one, other) => one.title.localeCompare(other.title, 'en'));
}

/** The groups with the events whose name, group or description contains the text. */
export function matchingGroups(groups: readonly EventGroup[], text: string): EventGroup[] {
  const sought = text.trim().toLowerCase();
  return groups
    .map((group) => ({
      ...group,
      types: group.types.filter((type) =>
        [type.name, group.title, type.description].some((words) => words.toLowerCase().includes(sought)),
      ),
    }))
    .filter(({ types }) => types.length > 0);
}

/** Whether events of the name are delivered. */
export function isSubscribed(patterns: readonly string[], name: string): boolean {
  return [everything, patternOf(name), name].some((pattern) => patterns.includes(pattern));
}

/** A whole group replaces its events, and all events replace everything else. */
export function withPattern(patterns: readonly string[], pattern: string): string[] {
  if (pattern === everything) return [everything];
  const kept = patterns.filter((other) => other !== pattern && !isWithin(other, pattern));
  return [...kept, pattern];
}

export function withoutPattern(patterns: readonly string[], pattern: string): string[] {
  return patterns.filter((other) => other !== pattern);
}

/** "All events", "Room: all"; the name itself for a single event. */
export function patternPhrase(pattern: string): string {
  if (pattern === everything) return 'All events';
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
