import { KEY_EVENTS, ORGANIZATION_EVENTS } from '#features/access';
import { SESSION_EVENTS } from '#features/sessions';
import { SETTINGS_EVENTS } from '#features/settings';
import { MEMBER_EVENTS } from '#features/team';
import type { OrganizationId } from '#platform/kernel';
import { ACTIONS, AUDITED_EVENTS, auditEntryOf } from './entries.ts';

const organization = 'org-1' as OrganizationId;

const envelope = (type: string, more: object = {}) => ({
  ...{ id: 'e', type, schemaVersion: 1, at: '2026-01-01T00:00:00.000Z', organization, tags: [], actor: 'key:k' },
  ...{ correlationId: 'c', causationId: null, ...more },
});

test('an entry names what was acted on by its id, not by the name of its stream', () => {
  const entry = (stream: string, type: string, more?: object) => auditEntryOf(stream, envelope(type, more));
  expect(entry('key-k2', 'KeyRevoked')).toEqual({ action: 'key.revoked', targetId: 'k2' });
  expect(entry('document-org-1_d', 'DocumentDeleted')).toEqual({ action: 'document.deleted', targetId: 'd' });
  expect(entry('document-org-1_m', 'DocumentDeleted', { category: 'memory' })).toEqual({
    ...{ action: 'memory.deleted', targetId: 'm' },
  });
  expect(entry('settings-org-1_0', 'SettingsChanged')).toEqual({ action: 'settings.changed', targetId: null });
  expect(entry('document-org-1_d', 'DocumentAdded')).toBeNull();
});

test('documents of a bulk deletion have no entries of their own', () => {
  expect(auditEntryOf('document-org-1_d', envelope('DocumentDeleted', { causationId: 'request' }))).toBeNull();
});

test('a new event of keys, members, organizations or settings is audited, unless it is only for the log itself', () => {
  // After the request to delete an organization nobody can ask for its audit.
  const ofItsEnd = ['OrganizationDeletionRequested', 'OrganizationDeleted'];
  const ofTheLog = ['NameClaimed', 'StreamReopened', 'InvitationMailed', 'SessionRotated', 'KeyRenewed', ...ofItsEnd];
  const types = Object.keys({
    ...KEY_EVENTS,
    ...MEMBER_EVENTS,
    ...ORGANIZATION_EVENTS,
    ...SESSION_EVENTS,
    ...SETTINGS_EVENTS,
  });
  expect(types.filter((type) => !AUDITED_EVENTS.includes(type) && !ofTheLog.includes(type))).toEqual([]);
  expect(new Set(ACTIONS).size).toBe(ACTIONS.length);
});
