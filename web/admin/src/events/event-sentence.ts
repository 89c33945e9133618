import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import { featureAmountText, featureName } from '../../../kit/format/feature-values.ts';
import { counted } from '../../../kit/format/counted.ts';
import { listOf, lowered, wordOf } from '../../../kit/format/label.ts';
import { isMask, toText } from '../../../kit/format/to-text.ts';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { nounIndex } from '../nouns/nouns.ts';
import { changesOf, type EventLike, type MemberChange, type Members } from './event-changes.ts';
import { eventPhrases } from './event-phrases.ts';

/** A piece of a sentence: text, or a resource to link to. */
export interface SentencePart {
  readonly text: string;
  readonly noun?: Noun;
  readonly id?: string;
  /** Set if the event does not contain the name of the resource: the text before the name, which is loaded by `id`. */
  readonly prefix?: string;
}

/** The sentence of an event, such as "Ada Lovelace changed the name of room Physics". */
export function sentenceOf(event: EventLike): SentencePart[] {
  const phrase = eventPhrases[event.name as EventName] ?? usualPhrase(event);
  const parts = phrase
    .split(/(\{\w*\})/)
    .filter((piece) => piece !== '')
    .flatMap((piece) => (piece.startsWith('{') ? resolvePlaceholder(piece.slice(1, -1), event) : [{ text: piece }]));
  if (!/^[A-Z{]/.test(phrase)) return [actorOf(event), { text: ' ' }, ...parts];
  return parts.map((part, index) => (index === 0 && !isName(part) ? capitalized(part) : part));
}

/** The sentence as text, for announcements and titles. */
export function sentenceText(event: EventLike): string {
  return sentenceOf(event)
    .map(({ text }) => text)
    .join('');
}

function usualPhrase(event: EventLike): string {
  const [, verb = ''] = event.name.split('.');
  if (verb !== 'updated') return `${verb.replaceAll('_', ' ')} {}`;
  const changes = changesOf(event);
  return changes.length === 0 ? 'changed {}' : `changed ${labelsOf(changes)} of {}`;
}

const maxLabels = 3;

function labelsOf(changes: readonly MemberChange[]): string {
  const labels = changes.map(({ label, before, after }) =>
    typeof before === 'boolean' || typeof after === 'boolean' ? `“${label}”` : `the ${lowered(label)}`,
  );
  if (labels.length <= maxLabels) return listOf(labels, 'and');
  const firstLabels = labels.slice(0, maxLabels - 1);
  return `${firstLabels.join(', ')} and ${labels.length - firstLabels.length} more fields`;
}

function actorOf({ actor }: EventLike): SentencePart {
  const name = actor.type === 'system' ? 'The platform' : toText(actor.name) || `A ${wordOf(actor.type).toLowerCase()}`;
  const noun = nounIndex.findById(toText(actor.id));
  return noun === null ? { text: name } : { text: name, noun, id: toText(actor.id) };
}

function resolvePlaceholder(member: string, event: EventLike): SentencePart[] {
  if (member === '') return resourceOf(event);
  const value = event.data[member];
  if (member === 'days_left') return [{ text: counted(Number(value), 'day') }];
  if (member === 'feature') return [{ text: featureText(value) }];
  const noun = nounIndex.findById(toText(value));
  if (noun !== null) return [referenceTo(noun, toText(value), event)];
  return [{ text: toText(value) || (member === 'email' ? 'a person' : `a ${member.replace(/_id$/, '')}`) }];
}

/** "room Physics" or "room token Ada of room Physics". */
function resourceOf({ resource_type: type, resource_id: id, data, name, actor }: EventLike): SentencePart[] {
  if (type === 'Settings') return [{ text: 'the platform settings' }];
  const noun = nounIndex.findByObject(type);
  const isGone = name.endsWith('.deleted');
  const singular = noun?.singular ?? singularOf(type);
  const title =
    noun === null ? nameWithin(data) : noun.titleOf(data as Row) || (id === actor.id ? toText(actor.name) : '');
  const parts: SentencePart[] =
    title === ''
      ? [noun === null || isGone ? { text: withArticle(singular) } : partWithoutName(noun, id)]
      : [{ text: `${singular} ` }, { text: title, ...(noun !== null && !isGone ? { noun, id } : {}) }];
  return noun === null ? [...parts, ...parentOf(data)] : parts;
}

const parents = ['room_id', 'account_id', 'subscription_id', 'package_id', 'customer_id', 'user_id'];

function parentOf(data: Members): SentencePart[] {
  const id = parents.map((member) => toText(data[member])).find((candidate) => nounIndex.findById(candidate) !== null);
  const noun = id === undefined ? null : nounIndex.findById(id);
  if (noun === null || id === undefined) return [];
  return [{ text: ' of ' }, partWithoutName(noun, id)];
}

function referenceTo(noun: Noun, id: string, { data }: EventLike): SentencePart {
  const name = isPerson(noun) ? toText(data['full_name']) : '';
  return name === '' ? partWithoutName(noun, id) : { text: name, noun, id };
}

/** People are shown by their name only. */
function partWithoutName(noun: Noun, id: string): SentencePart {
  return { text: withArticle(noun.singular), noun, id, prefix: isPerson(noun) ? '' : `${noun.singular} ` };
}

function isPerson(noun: Noun): boolean {
  return noun.resource.object === 'User' || noun.resource.object === 'Admin';
}

/** Resources without a page are shown by their name, email or address. */
function nameWithin(data: Members): string {
  const names = ['name', 'email', 'number', 'url'].map((member) => toText(data[member]));
  return names.find((name) => name !== '' && !isMask(name) && !name.includes('=****')) ?? '';
}

const shortNames: Readonly<Record<string, string>> = {
  ServicePackageFeature: 'feature',
  ServicePackageSubscriptionFeature: 'feature',
  ServicePackageProvider: 'provider',
};

/** `RoomToken` reads as "room token". */
function singularOf(type: string): string {
  const shortName = shortNames[type];
  if (shortName !== undefined) return shortName;
  return lowered(type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()).replace(/^oauth /, 'OAuth ');
}

function withArticle(singular: string): string {
  return `${/^[aeio]/i.test(singular) ? 'an' : 'a'} ${singular}`;
}

function isName({ noun, prefix }: SentencePart): boolean {
  return noun !== undefined && prefix === undefined;
}

function capitalized({ text, prefix, ...part }: SentencePart): SentencePart {
  return { ...part, text: upper(text), ...(prefix === undefined ? {} : { prefix: upper(prefix) }) };
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function featureText(value: unknown): string {
  const { tag, limit, used } = (value ?? {}) as Members;
  const code = toText(tag);
  return `${featureName(code)}, ${toText(used)} of ${featureAmountText(code, toText(limit))}`;
}
