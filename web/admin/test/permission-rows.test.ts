import { permissions } from '@foyer/contract/conventions/permissions.ts';
import { expect, test } from 'vitest';
import { offeredScopes } from '../src/oauth-clients/offered-scopes.ts';
import {
  matrixSections,
  missingReads,
  permissionChanges,
  permissionLabel,
  permissionsOf,
  readsFor,
} from '../src/roles/permission-rows.ts';

test('the matrix shows every permission on what the platform has, once', () => {
  const shown = matrixSections().flatMap(({ rows }) => rows.flatMap(permissionsOf));
  expect(shown.toSorted()).toEqual(permissions.map(({ name }) => name).toSorted());
});

test('the scopes that are offered are those that some endpoint needs', () => {
  expect(offeredScopes).toContain('*');
  expect(offeredScopes).toContain('rooms:write');
  expect(offeredScopes).toContain('webhooks:write');
});

test('a permission is told with the reads that it requires, and what lacks them is found', () => {
  expect(readsFor(['update-rooms'])).toEqual(['read-rooms']);
  expect([...missingReads(new Set(['update-rooms']))]).toEqual([['update-rooms', ['read-rooms']]]);
  expect(missingReads(new Set(['update-rooms', 'read-rooms'])).size).toBe(0);
});

test('what is saved is told by what came and what went', () => {
  expect(permissionChanges(new Set(['read-rooms', 'join-rooms']), new Set(['read-rooms', 'read-users']))).toEqual({
    added: ['read-users'],
    removed: ['join-rooms'],
  });
});

test('permissions read as people say them', () => {
  expect(permissionLabel('read-service-packages')).toBe('Read service packages');
  expect(permissionLabel('create-oauth-clients')).toBe('Create OAuth clients');
});
