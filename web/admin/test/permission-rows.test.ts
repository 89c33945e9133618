import { permissions } from '@foyer/contract/conventions/permissions.ts';
import { expect, test } from 'vitest';
import { offeredScopes } from '../src/oauth-clients/offered-scopes.ts';
import {
  matrixSections,
  missingReads,
  permissionChanges,
  permissionLabel,
  permissionsOf,
  requiredReads,
} from '../src/roles/permission-rows.ts';

test('the matrix shows every available permission once', () => {
  const shown = matrixSections().flatMap(({ rows }) => rows.flatMap(permissionsOf));
  expect(shown.toSorted()).toEqual(permissions.map(({ name }) => name).toSorted());
});

test('only scopes that an endpoint needs are offered', () => {
  expect(offeredScopes).toContain('*');
  expect(offeredScopes).toContain('rooms:write');
  expect(offeredScopes).toContain('webhooks:write');
});

test('permissions that lack a required read permission are found', () => {
  expect(requiredReads(['update-rooms'])).toEqual(['read-rooms']);
  expect([...missingReads(new Set(['update-rooms']))]).toEqual([['update-rooms', ['read-rooms']]]);
  expect(missingReads(new Set(['update-rooms', 'read-rooms'])).size).toBe(0);
});

test('saving reports the added and removed permissions', () => {
  expect(permissionChanges(new Set(['read-rooms', 'join-rooms']), new Set(['read-rooms', 'read-users']))).toEqual({
    added: ['read-users'],
    removed: ['join-rooms'],
  });
});

test('permissions are shown in plain words', () => {
  expect(permissionLabel('read-service-packages')).toBe('Read service packages');
  expect(permissionLabel('create-oauth-clients')).toBe('Create OAuth clients');
});
