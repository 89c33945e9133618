import { endpoints } from '@foyer/contract';
import { expect, test } from 'vitest';
import { formFieldsOf, groupFields, type FormField } from '../../kit/form/form-fields.ts';
import { nounIndex, nouns } from '../src/nouns/nouns.ts';

function field(fields: readonly FormField[], name: string): FormField | undefined {
  return fields.find((candidate) => candidate.name === name);
}

test('each kind of member gets the input that fits it', () => {
  const customer = formFieldsOf(endpoints.createCustomer.body);
  expect(field(customer, 'customer_type')?.input).toEqual({ kind: 'choice', choices: ['business', 'personal'] });
  expect(field(customer, 'email')?.input).toMatchObject({ kind: 'text', format: 'email' });
  expect(field(customer, 'password')?.input).toEqual({ kind: 'password' });
  expect(field(customer, 'country')?.input).toEqual({ kind: 'country' });
  expect(field(customer, 'currency')?.input).toEqual({ kind: 'currency' });
  expect(field(customer, 'timezone')?.input).toEqual({ kind: 'time-zone' });
  expect(field(customer, 'allowed_domains_origins')?.input).toEqual({ kind: 'list' });
  expect(field(customer, 'customer_metadata')?.input).toEqual({ kind: 'metadata' });
  const subscription = formFieldsOf(endpoints.updateSubscription.body);
  expect(field(subscription, 'starts_at')?.input).toEqual({ kind: 'day' });
  expect(field(subscription, 'description')?.input).toEqual({ kind: 'multiline' });
  expect(field(subscription, 'price')?.input).toMatchObject({ kind: 'number', decimals: 4, minimum: 0 });
  expect(field(subscription, 'periodicity')?.input).toMatchObject({
    kind: 'number',
    decimals: 0,
    minimum: 1,
    maximum: 1000,
  });
  const room = formFieldsOf(endpoints.createRoom.body);
  expect(field(room, 'account_id')?.input).toEqual({ kind: 'reference', prefix: 'acct' });
  expect(field(room, 'is_public')?.input).toEqual({ kind: 'boolean' });
  expect(field(formFieldsOf(endpoints.createRoomToken.body), 'expires_at')?.input).toEqual({ kind: 'instant' });
  expect(field(formFieldsOf(endpoints.updateSettings.body), 'primary_color')?.input).toEqual({ kind: 'color' });
});

test('a field is required or can be emptied according to the contract', () => {
  const customer = formFieldsOf(endpoints.createCustomer.body);
  expect(field(customer, 'email')).toMatchObject({ required: true, nullable: false });
  expect(field(customer, 'external_id')).toMatchObject({ required: false, nullable: true });
});

test('a custom input replaces the derived one', () => {
  const properties = { kind: 'custom', Input: () => null } as const;
  const special = { ...nouns.serviceProviders.inputs, properties };
  const provider = formFieldsOf(endpoints.createServiceProvider.body, special);
  expect(field(provider, 'properties')?.input).toBe(properties);
  expect(field(provider, 'provider_type')?.input).toEqual({
    kind: 'choice',
    choices: ['bigbluebutton', 'scalelite', 'foyer-media'],
  });
});

test('grouping loses no field, and fields without a group are collapsed', () => {
  for (const noun of nounIndex.all) {
    if (noun.create === undefined) continue;
    const endpoint = endpoints[noun.create];
    if (!('body' in endpoint)) continue;
    const fields = formFieldsOf(endpoint.body);
    const sections = groupFields(fields, noun.groups, true);
    const grouped = sections.flatMap((section) => section.fields.map(({ name }) => name));
    expect(grouped.toSorted()).toEqual(fields.map(({ name }) => name).toSorted());
    const required = fields.filter((candidate) => candidate.required).map(({ name }) => name);
    const open = sections.filter(({ folded }) => !folded).flatMap((section) => section.fields.map(({ name }) => name));
    expect(open).toEqual(expect.arrayContaining(required));
  }
});

test('a group that is collapsed at creation is open in a change form', () => {
  const fields = formFieldsOf(endpoints.updateSubscription.body);
  const terms = groupFields(fields, nouns.subscriptions.groups, false).find(({ title }) => title === 'Terms');
  expect(terms?.folded).toBe(false);
});
