import type { EventEnvelope } from '#ports/event-store';

/** Name of the read model of the audit. */
export const AUDIT = 'audit';

interface AuditedEvent {
  /** What was acted on, and what was done with it. */
  readonly action: string;
  /** Whether the name of the stream ends in the id of what was acted on. */
  readonly hasId: boolean;
}

const ofOne = (action: string): AuditedEvent => ({ action, hasId: true });
const ofMany = (action: string): AuditedEvent => ({ action, hasId: false });

/** What the audit tells, by type of the event. Another event is a line here, and a higher version of the read model. */
const AUDITED: Readonly<Record<string, AuditedEvent>> = {
  OrganizationFounded: ofOne('organization.created'),
  OrganizationRenamed: ofOne('organization.renamed'),
  OrganizationSuspended: ofOne('organization.suspended'),
  OrganizationResumed: ofOne('organization.resumed'),
  KeyIssued: ofOne('key.created'),
  KeyChanged: ofOne('key.changed'),
  KeyRevoked: ofOne('key.revoked'),
  MemberInvited: ofOne('member.invited'),
  MemberJoined: ofOne('member.joined'),
  MemberChanged: ofOne('member.changed'),
  MemberRemoved: ofOne('member.removed'),
  MemberAdmitted: ofOne('member.admitted'),
  MemberIdentified: ofOne('member.identified'),
  InvitationWithdrawn: ofOne('invitation.withdrawn'),
  InvitationExpired: ofOne('invitation.expired'),
  SessionStarted: ofOne('session.started'),
  SessionEnded: ofOne('session.ended'),
  QuotasChanged: ofOne('quotas.changed'),
  SettingsChanged: ofMany('settings.changed'),
  SettingsReset: ofMany('settings.reset'),
  SecretSet: ofMany('secret.set'),
  SecretErased: ofMany('secret.erased'),
  TagMergeStarted: ofMany('container_tag.merged'),
  ConnectionCreated: ofOne('connection.created'),
  ConnectionDeleted: ofOne('connection.deleted'),
  RemovalConfirmed: ofOne('connection.removal_confirmed'),
  BulkDeletionRequested: ofOne('deletion.requested'),
  BulkDeletionFinished: ofOne('deletion.finished'),
  DocumentDeleted: ofOne('document.deleted'),
  MemoryForgotten: ofOne('memory.forgotten'),
  MemoryRestored: ofOne('memory.restored'),
};

export const AUDITED_EVENTS: readonly string[] = Object.keys(AUDITED);

/** Every action of the audit, in alphabetical order. */
export const ACTIONS: readonly string[] = [
  ...Object.values(AUDITED).map(({ action }) => action),
  'memory.deleted',
].sort();

/** What the audit says of an event, whose payload may be erased. */
export interface AuditEntry {
  readonly action: string;
  /** Id of what was acted on. Null: it is not one thing, or has no id. */
  readonly targetId: string | null;
}

/** Null: the event is not in the audit. */
export function auditEntryOf(stream: string, envelope: EventEnvelope): AuditEntry | null {
  const { type, category, causationId, organization } = envelope;
  const audited = AUDITED[type];
  if (audited === undefined) return null;
  const isDeletion = type === 'DocumentDeleted';
  // A bulk deletion has its own entries, and its id is the causation of each deletion that it makes.
  if (isDeletion && causationId !== null) return null;
  const name = stream.slice(stream.indexOf('-') + 1);
  const id = name.startsWith(`${organization}_`) ? name.slice(organization.length + 1) : name;
  return {
    action: isDeletion && category === 'memory' ? 'memory.deleted' : audited.action,
    targetId: audited.hasId ? id : null,
  };
}
